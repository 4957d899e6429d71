import { METRICS_SERVICE, SELF_SIGNED_SECRET } from '../../operator/contract/group';
import { X509_CERTIFICATES } from '../../operator/server/x509-certificates';
import { freePorts } from '../support/free-ports';
import { call, type Answer } from '../support/loopback';
import type { Manifest } from './support/cluster-client';
import { eventually } from './support/eventually';
import { applyInstallation, tokenFor } from './support/installation';
import { startOperator, type RunningOperator } from './support/operator-process';
import { grantFor, grantsIn, textOf, usesUntilNow } from './support/rights';
import { useControlPlane } from './support/use-control-plane';

const SYSTEM = 'ipam-system';
const HOST = `${METRICS_SERVICE}.${SYSTEM}.svc`;
const USER = `system:serviceaccount:${SYSTEM}:ipam-controller-manager`;
const RBAC = 'rbac.authorization.k8s.io';
const BINDING = `/apis/${RBAC}/v1/clusterrolebindings/scraper`;
const SECRETS = `/api/v1/namespaces/${SYSTEM}/secrets`;
/** The VIPs door has no webhooks, and its record is in the cluster. */
const VIPS = { services: { enabled: false }, vips: { enabled: true } } as const;

const plane = useControlPlane({ audit: true });

/** An operator with metrics over HTTPS, and the CA that its callers trust. */
interface SecureOperator {
  readonly operator: RunningOperator;
  readonly port: number;
  readonly ca: string;
}

async function start(name: string, caSecret: string): Promise<SecureOperator> {
  const [port = 0] = await freePorts(1);
  const args = { 'metrics-bind-address': `127.0.0.1:${String(port)}` };
  const operator = await startOperator(plane(), { name, args, awaitWebhooks: false });
  const { data } = await plane().client.request('GET', `${SECRETS}/${caSecret}`);
  const ca = Buffer.from(String((data as Readonly<Record<string, unknown>>)['ca.crt']), 'base64').toString('utf8');
  return { operator, port, ca };
}

const read = ({ port, ca }: SecureOperator, token?: string): Promise<Answer> =>
  call({
    port,
    ca,
    servername: HOST,
    path: '/metrics',
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
  });

async function makeReaders(): Promise<void> {
  const namespace = 'monitoring';
  const account = (name: string) => ({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace } });
  await plane().client.apply([
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
    account('scraper'),
    account('stranger'),
    {
      apiVersion: `${RBAC}/v1`,
      kind: 'ClusterRoleBinding',
      metadata: { name: 'scraper' },
      roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: 'ipam-metrics-reader' },
      subjects: [{ kind: 'ServiceAccount', name: 'scraper', namespace }],
    },
  ]);
}

describe('the metrics over HTTPS, with the certificate of the operator and without webhooks', () => {
  let objects: readonly Manifest[] = [];
  let secure: SecureOperator;
  let tokens: { readonly scraper: string; readonly stranger: string };

  beforeAll(async () => {
    ({ objects } = await applyInstallation(plane(), {
      ...VIPS,
      certificates: 'self-managed',
      monitoring: { secure: {} },
    }));
    await makeReaders();
    tokens = {
      scraper: await tokenFor(plane(), 'monitoring', 'scraper'),
      stranger: await tokenFor(plane(), 'monitoring', 'stranger'),
    };
    secure = await start('own', SELF_SIGNED_SECRET);
  }, 240_000);

  test('EG-53 are refused without a token, and with one that is not valid', async () => {
    const none = await read(secure);
    expect([none.status, none.headers['www-authenticate']]).toEqual([401, 'Bearer realm="metrics"']);
    expect((await read(secure, 'abc')).status).toBe(401);
    const foreign = await tokenFor(plane(), 'monitoring', { name: 'scraper', audience: 'another' });
    expect((await read(secure, foreign)).status).toBe(401);
  });

  test('EG-53 are refused to a ServiceAccount without the right', async () => {
    expect((await read(secure, tokens.stranger)).status).toBe(403);
  });

  test('EG-53 are told to one with the right, and at no other port', async () => {
    const { status, text, headers } = await read(secure, tokens.scraper);
    expect(status).toBe(200);
    expect(headers['content-type']).toContain('text/plain');
    expect(text).toMatch(/^ipam_build_info\{.*version=".+".*\} 1$/mu);
    const { probes } = secure.operator;
    expect((await fetch(`${probes}/metrics`)).status).toBe(404);
    expect((await fetch(`${probes}/readyz`)).status).toBe(200);
  });

  test('end with the right, a few seconds later', async () => {
    await plane().client.request('DELETE', BINDING);
    const refused = await eventually(async () => {
      const answer = await read(secure, tokens.scraper);
      return answer.status === 200 ? undefined : answer;
    });
    expect([refused.status, refused.text]).toEqual([403, expect.stringContaining('api/forbidden')]);
  });

  test('leave no token in the log, which tells of refusals', () => {
    const log = secure.operator.log();
    expect(log).toContain('api/forbidden');
    for (const token of Object.values(tokens)) expect(log).not.toContain(token.slice(-20));
  });

  test('need the rights of the installation, and no other one', async () => {
    const uses = await usesUntilNow(plane(), USER);
    expect(uses.filter(({ status }) => status === 401 || status === 403).map(textOf)).toEqual([]);
    const grants = grantsIn(objects).filter(({ role }) => role.includes('ipam-metrics'));
    const used = new Set(uses.map((use) => grantFor(use, grants)));
    expect(grants.filter((grant) => !used.has(grant)).map(textOf)).toEqual([]);
    expect(grants).toHaveLength(3);
  });

  test('EG-53 show a certificate of your own where one is named', async () => {
    await makeReaders();
    const nowMs = Date.now();
    const authority = await X509_CERTIFICATES.makeAuthority(nowMs);
    const { certificate, key } = await X509_CERTIFICATES.issue(authority, { names: [HOST], nowMs });
    await plane().client.apply([
      {
        apiVersion: 'v1',
        kind: 'Secret',
        type: 'kubernetes.io/tls',
        metadata: { name: 'metrics-cert', namespace: SYSTEM },
        stringData: { 'tls.crt': certificate, 'tls.key': key, 'ca.crt': authority.certificate },
      },
    ]);
    await applyInstallation(plane(), { ...VIPS, monitoring: { secure: { certificateSecret: 'metrics-cert' } } });
    const other = await start('given', 'metrics-cert');
    expect(other.ca).toBe(authority.certificate);
    await eventually(async () => (await read(other, tokens.scraper)).status === 200);
    expect((await read(other)).status).toBe(401);
  }, 240_000);
});

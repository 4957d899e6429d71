import { X509Certificate } from 'node:crypto';
import { LOOK_MS } from '../../../../operator/cluster/certificates/admission-certs';
import { WEBHOOK_NAMES } from '../../../../operator/contract/group';
import { isMap, listOf } from '../../../../operator/contract/loose-json';
import type { CertificatePair } from '../../../../operator/ports/certificates';
import { X509_CERTIFICATES } from '../../../../operator/server/x509-certificates';
import { accepts, refusal, webhookConfiguration } from '../../../support/certificate-api';
import { CONFIGURATIONS, Installation, SERVING_NAMES as NAMES } from '../../../support/certificate-installation';

const DAY_MS = 86_400_000;

const serialOf = ({ certificate }: CertificatePair): string => new X509Certificate(certificate).serialNumber;

let installation: Installation;
beforeEach(() => {
  installation = new Installation();
});
afterEach(() => {
  installation.stopAll();
});

describe('openSelfManaged at the first start', () => {
  test('makes Secret, certificate and trust, and has no problem', async () => {
    const source = await installation.start();
    expect(source.problem()).toBeUndefined();
    expect(source.current().certificate).toBe(installation.api.texts['tls.crt']);
    expect(
      CONFIGURATIONS.map((which) => accepts(installation.api.bundle(which), source.current().certificate)),
    ).toEqual([true, true]);
    expect(installation.api.secret).toMatchObject({ type: 'Opaque', metadata: { name: 'ipam-self-signed' } });
  });

  test('has no problem without webhooks, and writes the Secret alone', async () => {
    const source = await installation.start({ withoutWebhooks: true });
    expect(source.problem()).toBeUndefined();
    expect(installation.api.writes).toEqual(['POST ipam-system']);
  });

  test('changes caBundle of our webhook and nothing else', async () => {
    await installation.start();
    const [configuration] = installation.api.objects.values();
    const webhooks = listOf(configuration?.['webhooks']);
    const bare = webhookConfiguration(WEBHOOK_NAMES.mutating);
    const [other, ours] = listOf(bare['webhooks']);
    expect(webhooks[0]).toEqual(other);
    expect(webhooks[1]).toEqual({
      ...(isMap(ours) ? ours : {}),
      clientConfig: {
        service: expect.anything() as unknown,
        caBundle: Buffer.from(`${installation.api.texts['ca.crt'] ?? ''}\n`).toString('base64'),
      },
    });
    expect(configuration?.['metadata']).toMatchObject({ annotations: { kept: 'yes' } });
  });

  test('agrees with a replica that starts at the same moment', async () => {
    const [one, two] = await Promise.all([installation.start(), installation.start()]);
    expect(one.current()).toEqual(two.current());
    expect(installation.api.writes.filter((write) => write.startsWith('POST'))).toHaveLength(1);
    expect([one.problem(), two.problem()]).toEqual([undefined, undefined]);
  });

  test('writes nothing where all is right already', async () => {
    await installation.start();
    installation.api.writes.length = 0;
    await installation.start();
    await installation.pass(10 * LOOK_MS, LOOK_MS);
    expect(installation.api.writes).toEqual([]);
  });

  test('shows the private keys to nobody', async () => {
    const source = await installation.start();
    await installation.pass(61 * DAY_MS);
    expect(installation.logger.text).not.toContain('PRIVATE KEY');
    expect(Object.keys(source.current())).toEqual(['certificate', 'key']);
    expect(source.current().key).not.toBe(installation.api.texts['ca.key']);
  });

  test('fails with a name of the Secret where it may not be read', async () => {
    installation.api.refuse = ({ path }) => (path.includes('/secrets') ? refusal(403, 'Forbidden') : undefined);
    await expect(installation.start()).rejects.toMatchObject({
      code: 'certificate/invalid',
      message: 'Secret "ipam-system/ipam-self-signed" cannot be read (403 Forbidden)',
    });
  });

  test('leaves no timer behind after the end', async () => {
    installation.stop(await installation.start());
    expect(installation.clock.waiting).toBe(0);
  });
});

describe('trust of the webhook configurations', () => {
  test('comes back within half a minute after an apply that took it out', async () => {
    const source = await installation.start();
    installation.api.reapply('mutating');
    await installation.pass(LOOK_MS);
    expect(accepts(installation.api.bundle('mutating'), source.current().certificate)).toBe(true);
  });

  test('is given to a configuration that is applied after the start', async () => {
    installation.api.remove('validating');
    const source = await installation.start();
    expect(source.problem()).toBeUndefined();
    installation.api.reapply('validating');
    await installation.pass(LOOK_MS);
    expect(accepts(installation.api.bundle('validating'), source.current().certificate)).toBe(true);
  });

  test('is a problem of readiness while it cannot be written, said once and counted each time', async () => {
    installation.api.refuse = ({ method }) => (method === 'PATCH' ? refusal(403, 'Forbidden') : undefined);
    const source = await installation.start();
    await installation.pass(2 * LOOK_MS, LOOK_MS);
    expect(source.problem()).toBe(
      `webhook configuration "${WEBHOOK_NAMES.mutatingConfiguration}" does not trust our CA: it cannot be written (403 Forbidden)`,
    );
    expect(installation.results().filter((result) => result === 'kept_old')).toHaveLength(3);
    expect(installation.logger.lines.filter(({ level }) => level === 'warn')).toHaveLength(1);
    installation.api.refuse = () => undefined;
    await installation.pass(LOOK_MS);
    expect(source.problem()).toBeUndefined();
  });

  test('is no problem of readiness while the API server does not answer', async () => {
    const source = await installation.start();
    for (const client of installation.sources.values()) client.cutOff = true;
    await installation.pass(LOOK_MS);
    expect(source.problem()).toBeUndefined();
    expect(installation.results()).toEqual(['created', 'failed']);
  });
});

describe('the serving certificate', () => {
  test('is renewed after two thirds of its life by one replica, and the other one follows', async () => {
    const [one, two] = [await installation.start(), await installation.start()];
    const heard: CertificatePair[] = [];
    two.onChange((pair) => heard.push(pair));
    const before = serialOf(one.current());
    await installation.pass(59 * DAY_MS);
    expect(serialOf(one.current())).toBe(before);
    await installation.pass(2 * DAY_MS, DAY_MS / 2);
    expect(serialOf(one.current())).not.toBe(before);
    expect(two.current()).toEqual(one.current());
    expect(heard).toEqual([one.current()]);
    expect(installation.results().filter((result) => result === 'renewed')).toHaveLength(1);
    expect(installation.refused).toEqual([]);
  });

  test('is made anew for names that the settings add, and replicas with the old names leave it alone', async () => {
    const old = await installation.start();
    const source = await installation.start({ names: ['ipam.example.org'] });
    const leaf = new X509Certificate(source.current().certificate);
    expect([leaf.checkHost('ipam.example.org'), leaf.checkHost(NAMES[0])]).toEqual(['ipam.example.org', NAMES[0]]);
    await installation.pass(4 * LOOK_MS, LOOK_MS);
    expect(serialOf(old.current())).toBe(leaf.serialNumber);
    expect(serialOf(source.current())).toBe(leaf.serialNumber);
    expect(installation.refused).toEqual([]);
  });

  test('reports its end while nobody can renew it', async () => {
    const source = await installation.start();
    for (const client of installation.sources.values()) client.cutOff = true;
    await installation.pass(91 * DAY_MS);
    expect(source.problem()).toContain('the serving certificate ended at 2026-04-01');
  });
});

describe('a damaged Secret', () => {
  const other = (): Promise<CertificatePair> => X509_CERTIFICATES.makeAuthority(Date.UTC(2026, 0, 1));

  test.each([
    ['an unreadable CA', () => ({ 'ca.crt': 'nonsense' }), 'the CA certificate is not complete PEM'],
    ['no key of the CA', () => ({ 'ca.key': undefined }), 'the private key of the CA is not complete PEM'],
    [
      'the key of another CA',
      async () => ({ 'ca.key': (await other()).key }),
      'the private key of the CA belongs to another certificate',
    ],
  ])('with %s is replaced, with a log line and a count', async (_, changes, problem) => {
    const source = await installation.start();
    const before = installation.api.texts;
    installation.api.damage(await changes());
    await installation.pass(LOOK_MS);
    expect(installation.api.texts['ca.crt']).not.toBe(before['ca.crt']);
    expect(installation.logger.lines).toContainEqual(
      expect.objectContaining({ level: 'warn', fields: { object: 'ipam-system/ipam-self-signed', problem } }),
    );
    expect(installation.results()).toEqual(['created', 'replaced', 'loaded']);
    expect(source.current().certificate).toBe(installation.api.texts['tls.crt']);
    expect(accepts(installation.api.bundle('mutating'), source.current().certificate)).toBe(true);
  });

  test.each([
    ['an unreadable certificate', () => ({ 'tls.crt': '' }), 'certificate or key is not complete PEM'],
    [
      'a key of another certificate',
      async () => ({ 'tls.key': (await other()).key }),
      'the private key belongs to another certificate',
    ],
    [
      'a certificate of another CA',
      async () => {
        const pair = await X509_CERTIFICATES.issue(await other(), { names: NAMES, nowMs: Date.UTC(2026, 0, 1) });
        return { 'tls.crt': pair.certificate, 'tls.key': pair.key };
      },
      'the serving certificate is not from our CA',
    ],
  ])('with %s gets a new one under the same CA, which callers never stop to trust', async (_, changes, problem) => {
    await installation.start();
    const before = installation.api.texts;
    installation.api.damage(await changes());
    await installation.pass(LOOK_MS);
    expect(installation.api.texts['ca.crt']).toBe(before['ca.crt']);
    expect(installation.logger.lines).toContainEqual(
      expect.objectContaining({ level: 'warn', fields: { object: 'ipam-system/ipam-self-signed', problem } }),
    );
    expect(installation.refused).toEqual([]);
  });

  test('that was deleted is made again', async () => {
    const source = await installation.start();
    installation.api.secret = undefined;
    await installation.pass(LOOK_MS);
    expect(source.current().certificate).toBe(installation.api.texts['tls.crt']);
    expect(source.problem()).toBeUndefined();
  });

  test('keeps type, labels and keys that are not ours', async () => {
    const theirs = { type: 'kubernetes.io/tls', metadata: { labels: { team: 'net' } }, data: { note: 'aGk=' } };
    installation.api.secret = theirs;
    await installation.start();
    expect(installation.api.secret).toMatchObject(theirs);
  });

  test('does not take the served certificate away while callers trust the old CA alone', async () => {
    const source = await installation.start();
    const before = source.current();
    installation.api.refuse = ({ method }) => (method === 'PATCH' ? refusal(403, 'Forbidden') : undefined);
    installation.api.damage({ 'ca.crt': '' });
    await installation.pass(LOOK_MS);
    expect(source.current()).toEqual(before);
    expect(installation.refused).toEqual([]);
  });
});

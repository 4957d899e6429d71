import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { RemoteAddressBook } from '../../../operator/backends/ipam-api-client/v3/v3-address-book';
import { RemoteOccupied } from '../../../operator/backends/ipam-api-client/v3/v3-occupied';
import { V3Client } from '../../../operator/backends/ipam-api-client/v3/v3-client';
import { SYSTEM_CLOCK } from '../../../operator/backends/system/system-clock';
import { valueOf } from '../../../operator/errors/ipam-error';
import { freePorts } from '../../support/free-ports';
import { hashOf } from '../../support/remote-book';
import { RecordedLogger } from '../../support/recorded-telemetry';
import { servingPair } from '../../support/serving-pair';
import type { ControlPlane } from './control-plane';
import { eventually } from './eventually';
import { operatorBundle } from './operator-bundle';
import { startProgram, type OwnProcess } from './own-process';

const START_MS = 120_000;
const ADMIN_TOKEN = 'token-of-the-administrator';
/** Subject of the client certificate of the cluster, which counts where the server knows its CA. */
const CLUSTER_SUBJECT = 'CN=cluster-a, O=example';
/** Token of the cluster. */
const CLUSTER_TOKEN = 'token-of-the-cluster';

/** Another cluster that the server knows, of which there is an operator's client alone. */
const OTHER = 'cluster-b';
const OTHER_TOKEN = 'token-of-the-other-cluster';

/** An operator of ours that keeps the record for a cluster and serves version 3 of the IPAM-API. */
export interface ApiOperator {
  readonly url: string;
  /** CA that its certificate is trusted by, in PEM. */
  readonly authority: string;
  /** Live holders as `address name state`, sorted; quarantines left out. */
  holders(): Promise<readonly string[]>;
  /** Client of an operator of another cluster. */
  readonly other: { readonly book: RemoteAddressBook; readonly uses: RemoteOccupied };
  /** Lists addresses that the cluster shows without a claim, as `address source`. */
  shown(): Promise<readonly string[]>;
  /** Services of the cluster that contest something, as `address name`. */
  contests(): Promise<readonly string[]>;
  /** Ends a holder as administrators do. */
  release(address: string): Promise<void>;
  kill(signal: NodeJS.Signals): Promise<void>;
  start(): Promise<void>;
}

async function filesIn(folder: string, zones: unknown, clusterUid: string): Promise<string> {
  mkdirSync(folder, { recursive: true });
  const pair = await servingPair();
  const certificates = [{ subject: CLUSTER_SUBJECT }];
  const speaks = { role: 'cluster', operator: true, clusterUids: [clusterUid] };
  const client = { ...speaks, tokenSha256: [hashOf(CLUSTER_TOKEN)], certificates };
  const other = { name: 'other', role: 'cluster', operator: true, clusterUids: [OTHER], burst: 100_000 };
  const admin = { name: 'admin', role: 'admin', tokenSha256: [hashOf(ADMIN_TOKEN)], burst: 100_000 };
  const texts = {
    'zones.yaml': JSON.stringify({ version: 1, zones }),
    'clients.yaml': JSON.stringify({
      version: 1,
      clients: [{ name: 'cluster', ...client }, { ...other, tokenSha256: [hashOf(OTHER_TOKEN)] }, admin],
    }),
    'tls.crt': pair.cert,
    'tls.key': pair.key,
  };
  for (const [name, text] of Object.entries(texts)) writeFileSync(join(folder, name), text);
  return pair.authority;
}

/** Starts it on a SQLite file beside the control plane; ports, files and certificate stay over its restarts. */
export async function startApiOperator(
  plane: ControlPlane,
  zones: unknown,
  more: readonly string[] = [],
): Promise<ApiOperator> {
  const folder = join(plane.folder, 'api');
  const at = (name: string): string => join(folder, name);
  const { metadata } = await plane.client.request('GET', '/api/v1/namespaces/kube-system');
  const authority = await filesIn(folder, zones, metadata.uid);
  const operator = await operatorBundle();
  const [api = 0, probes = 0] = await freePorts(2);
  const args = [
    ...['--standalone', '--sqlite-file', at('ipam.sqlite'), '--hash-key-file', at('hash-key'), '--admin-socket='],
    ...['--zones-file', at('zones.yaml'), '--self-signed-ca-file', at('ca.crt'), '--shutdown-delay=0'],
    ...['--webhook-bind-address=127.0.0.1:0', `--health-probe-bind-address=127.0.0.1:${probes}`],
    ...[`--ipam-api-bind-address=127.0.0.1:${api}`, '--ipam-api-cert-path', folder, '--reservation-lease=30'],
    ...['--ipam-api-clients-file', at('clients.yaml'), ...more],
  ];
  const url = `https://127.0.0.1:${api}`;
  const tls = { ca: authority };
  const headers = () => ({ authorization: `Bearer ${ADMIN_TOKEN}` });
  const client = new V3Client({ target: { url }, clock: SYSTEM_CLOCK, tls: () => tls, headers });
  const params = { clusterUid: metadata.uid };
  const otherClient = new V3Client({
    target: { url },
    clock: SYSTEM_CLOCK,
    tls: () => tls,
    headers: () => ({ authorization: `Bearer ${OTHER_TOKEN}` }),
  });
  const of = { client: otherClient, clusterUid: OTHER, clock: SYSTEM_CLOCK, logger: new RecordedLogger() };
  let child: OwnProcess | undefined;
  const start = async (): Promise<void> => {
    const program = process.execPath;
    const logFile = at('operator.log');
    const launched = await startProgram({ program, args: [operator, ...args], logFile });
    child = launched;
    await eventually(async () => {
      launched.expectRunning();
      return (await fetch(`http://127.0.0.1:${probes}/readyz`)).ok;
    }, START_MS);
  };
  plane.onStop(async () => {
    client.close();
    otherClient.close();
    await child?.stop();
  });
  await start();
  return {
    url,
    authority,
    start,
    holders: async () => {
      const { entries } = valueOf(await client.call('listClaims', { query: { limit: 1_000 } }));
      return entries
        .filter(({ state }) => state !== 'quarantined')
        .map(({ address, service, state }) => `${address} ${service.serviceName} ${state}`)
        .sort();
    },
    other: { book: new RemoteAddressBook(of), uses: new RemoteOccupied(of) },
    shown: async () => {
      const { entries } = valueOf(await client.call('listUses', { params }));
      return entries.map(({ address, source }) => `${address} ${source}`);
    },
    contests: async () => {
      const { entries } = valueOf(await client.call('listContests', { params, query: {} }));
      return entries.map(({ address, service }) => `${address} ${service.serviceName}`);
    },
    release: async (address) => {
      const { entries } = valueOf(await client.call('listClaims', { query: { limit: 1_000 } }));
      const holder = entries.find((each) => each.address === address);
      const at = { network: 'default', address };
      valueOf(await client.call('releaseHolder', { params: at, body: { holderId: holder?.holderId ?? '' } }));
    },
    kill: async (signal) => {
      child?.kill(signal);
      await child?.ended;
    },
  };
}

/**
 * A program that gives each new IPAllocation an address by the writes that the Networks door makes, and does nothing else: it counts
 * addresses up, checks nothing, remembers nothing and keeps no counters. Arguments: folder with `access.json`, namespace, first
 * address as a number. Prints a line when it watches.
 *
 * Its writes are named here, and the bench counts them in the audit log:
 * 1. one merge patch of the finalizer, over the version that the watch told;
 * 2. POST of one `AddressClaim`, at the same time;
 * 3. one apply of the status over the version with the finalizer.
 * The door makes two more writes of one `AddressTable` for each group of decisions, which is its cost of being right.
 */
import { BareWriter } from '../cluster/bare-writer';
import { NETWORKS_FINALIZER } from '../../../operator/contract/nephio';

/** As many as the door works on at once. */
const CALLERS = 64;
const API = '/apis/ipam.nephio.org/v1alpha1';

interface Allocation {
  readonly metadata: { readonly name: string; readonly uid: string; readonly resourceVersion: string };
  readonly spec: { readonly selector?: { readonly matchLabels?: Readonly<Record<string, string>> } };
}

const [folder = '.', namespace = '', first = '1'] = process.argv.slice(2);
const api = new BareWriter(folder);
const waiting: Allocation[] = [];
const seen = new Set<string>();
let busy = 0;
let next = Number(first);

function addressOf(index: number): string {
  return `10.210.${String(Math.floor(index / 256))}.${String(index % 256)}`;
}

function claimOf({ metadata: { name, uid } }: Allocation, address: string): unknown {
  return {
    apiVersion: 'ipam.vitistack.io/v1alpha1',
    kind: 'AddressClaim',
    metadata: { name: `${namespace}.bare.${address}` },
    spec: {
      network: `${namespace}.bare`,
      address,
      door: 'networks',
      pool: '10.210.0.0/16',
      state: 'bound',
      holder: { apiVersion: 'ipam.nephio.org/v1alpha1', kind: 'IPAllocation', namespace, name, uid },
      entry: { role: 'allocation', kind: 'network', request: '0123456789abcdef' },
    },
  };
}

function statusOf(address: string): unknown {
  const lastTransitionTime = new Date().toISOString();
  const conditions = ['Synced', 'Ready', 'Accepted'].map((type) => ({
    type,
    kind: type,
    status: 'True',
    reason: type,
    message: '',
    lastTransitionTime,
  }));
  return { conditions, prefix: `${address}/32`, gateway: '10.210.0.1', parentPrefix: '10.210.0.0/16' };
}

async function serve(allocation: Allocation): Promise<void> {
  const address = addressOf((next += 1));
  const { name, uid, resourceVersion } = allocation.metadata;
  const path = `${API}/namespaces/${namespace}/ipallocations/${name}`;
  const finalizers = { metadata: { resourceVersion, finalizers: [NETWORKS_FINALIZER] } };
  const [held] = await Promise.all([
    api.write('PATCH', `${path}?fieldManager=bare`, finalizers) as Promise<Allocation>,
    api.write('POST', '/apis/ipam.vitistack.io/v1alpha1/addressclaims', claimOf(allocation, address)),
  ]);
  await api.write('PATCH', `${path}/status?fieldManager=bare&force=true`, {
    apiVersion: 'ipam.nephio.org/v1alpha1',
    kind: 'IPAllocation',
    metadata: { name, namespace, uid, resourceVersion: held.metadata.resourceVersion },
    status: statusOf(address),
  });
}

async function work(): Promise<void> {
  busy += 1;
  for (let each = waiting.shift(); each !== undefined; each = waiting.shift()) await serve(each);
  busy -= 1;
}

async function main(): Promise<void> {
  const path = `${API}/namespaces/${namespace}/ipallocations?watch=1&allowWatchBookmarks=true`;
  const opened = (): void => {
    console.log('watching');
  };
  // the API server ends watches of a kind that was installed a moment ago
  for (;;)
    for await (const { type, object } of api.watch<Allocation>(path, opened)) {
      if (type !== 'ADDED' || seen.has(object.metadata.uid)) continue;
      seen.add(object.metadata.uid);
      waiting.push(object);
      if (busy < CALLERS) void work();
    }
}

void main();

/**
 * A program that gives each new Namespace that opts in to an EgressIPAM an address of three CIDRs by the writes that the Egress door makes, and
 * does nothing else: it counts addresses up, checks nothing, remembers nothing, labels no node and keeps no counters. Arguments: folder with
 * `access.json`, name of the EgressIPAM. Prints a line when it watches.
 *
 * Its writes are named here, and the bench counts them in the audit log:
 * 1. POST of three `AddressClaim`s, one after the other, whose names are the locks;
 * 2. one merge patch of `namespaces/status` with the list, over the version that the watch told;
 * 3. POST of one `EgressIP`.
 */
import { EGRESS_KEYS } from '../../../operator/contract/egress';
import { BareWriter } from '../cluster/bare-writer';

/** As many as the door works on at once. */
const CALLERS = 32;
const CIDRS = 3;

interface Namespace {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly resourceVersion: string;
    readonly annotations?: Readonly<Record<string, string>>;
  };
}

const [folder = '.', egressIpam = ''] = process.argv.slice(2);
const api = new BareWriter(folder);
const waiting: Namespace[] = [];
const seen = new Set<string>();
let busy = 0;
let next = 0;

const addressOf = (cidr: number, index: number): string =>
  [60 + cidr, 0, Math.floor(index / 256), index % 256].join('.');

const claimOf = ({ metadata: { name, uid } }: Namespace, address: string): unknown => ({
  apiVersion: 'ipam.vitistack.io/v1alpha1',
  kind: 'AddressClaim',
  metadata: { name: `bare.${address}` },
  spec: {
    network: 'bare',
    address,
    door: 'egress',
    pool: egressIpam,
    state: 'bound',
    holder: { apiVersion: 'v1', kind: 'Namespace', name, uid },
  },
});

async function serve(namespace: Namespace): Promise<void> {
  const index = (next += 1);
  const { name, resourceVersion } = namespace.metadata;
  const addresses = Array.from({ length: CIDRS }, (_, cidr) => addressOf(cidr, index));
  for (const address of addresses)
    await api.write('POST', '/apis/ipam.vitistack.io/v1alpha1/addressclaims', claimOf(namespace, address));
  await api.write('PATCH', `/api/v1/namespaces/${name}/status?fieldManager=bare`, {
    metadata: { resourceVersion, annotations: { [EGRESS_KEYS.addresses]: addresses.join(',') } },
  });
  await api.write('POST', '/apis/k8s.ovn.org/v1/egressips', {
    apiVersion: 'k8s.ovn.org/v1',
    kind: 'EgressIP',
    metadata: { name: `eipam-${name}` },
    spec: { egressIPs: addresses, namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': name } } },
  });
}

async function work(): Promise<void> {
  busy += 1;
  for (let each = waiting.shift(); each !== undefined; each = waiting.shift()) await serve(each);
  busy -= 1;
}

async function main(): Promise<void> {
  const opened = (): void => {
    console.log('watching');
  };
  for await (const { type, object } of api.watch<Namespace>('/api/v1/namespaces?watch=1', opened)) {
    const { uid, annotations } = object.metadata;
    if (type !== 'ADDED' || seen.has(uid) || annotations?.[EGRESS_KEYS.egressIpam] !== egressIpam) continue;
    seen.add(uid);
    waiting.push(object);
    if (busy < CALLERS) void work();
  }
}

void main();

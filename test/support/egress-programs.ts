import fc from 'fast-check';

import { EGRESS_FORCE } from '../../operator/contract/egress';
import { metadataOf } from '../../operator/contract/loose-json';

import { egressSpec } from './egress-kind-samples';
import { FaultyClient } from './faulty-client';
import { CIDR_A, CIDR_B, PlacementWorld } from './placement-world';

const NODES = ['n1', 'n2', 'n3', 'n4'];
const NAMESPACES = ['a', 'b', 'c', 'd'];
const IPAMS = ['bm', 'alt'];
const RESERVED = ['10.0.0.1', '10.1.0.1', '10.2.0.1'];
// with the addresses of the networks themselves
const NEVER_GIVEN = [...RESERVED, '10.0.0.0', '10.1.0.0', '10.2.0.0', '10.0.0.15', '10.1.0.15', '10.2.0.15'];
const LISTS = ['10.0.0.9,10.1.0.9', '10.0.0.9', '10.0.0.1,10.1.0.8', '10.2.0.9', 'nonsense'];
const FOREIGN = ['10.0.0.4', '10.2.0.2'];
const FOREIGN_LIST = '10.0.0.2';

const labelOf = (node: string): object => ({ labels: { egressGateway: node === 'n4' ? 'b' : 'a' } });
const own = (cidr: object): object => ({ ...cidr, reservedIPs: RESERVED.filter((each) => isOf(cidr, each)) });
const isOf = (cidr: object, address: string): boolean =>
  (cidr as { readonly CIDR: string }).CIDR.startsWith(address.replace(/\d+$/, ''));
const CIDR_C = { CIDR: '10.2.0.0/28', labelValue: 'a' };

/** What an EgressIPAM is to be; the first is what it is in the end. */
const SPECS: Readonly<Record<string, readonly object[]>> = {
  bm: [
    egressSpec(own(CIDR_A), own(CIDR_B)),
    egressSpec(own(CIDR_B), own(CIDR_A)),
    egressSpec(own(CIDR_A)),
    egressSpec({ ...CIDR_A, reservedIPs: ['10.0.0.1', '10.0.0.2', '10.0.0.3'] }, own(CIDR_B)),
    { ...egressSpec(own(CIDR_A), own(CIDR_B)), quarantineSeconds: 1 },
    { ...egressSpec(own(CIDR_A), own(CIDR_B)), nodeSelector: { matchLabels: { none: 'such' } } },
    egressSpec({ ...CIDR_A, CIDR: '10.0.0.5/28' }),
  ],
  alt: [egressSpec(own(CIDR_C)), { ...egressSpec(own(CIDR_C)), rebalance: 'OnNodeJoin' }],
};

/** One thing that happens to the cluster, as a word, with what it happens to. */
const step = fc.oneof(
  fc.record({
    what: fc.constantFrom(
      ...['up', 'up', 'down', 'cordoned', 'unlabelled', 'deleted', 'nodeAway', 'nodeBack', 'overtaken', 'full'],
    ),
    name: fc.constantFrom(...NODES),
    which: fc.nat({ max: 9 }),
  }),
  fc.record({
    what: fc.constantFrom(
      ...['made', 'made', 'optOut', 'optIn', 'optIn', 'removed', 'listOff', 'list', 'nsAway', 'nsBack', 'nsSlow'],
    ),
    name: fc.constantFrom(...NAMESPACES),
    which: fc.nat({ max: 9 }),
  }),
  fc.record({
    what: fc.constantFrom('spec', 'forced', 'ipamGone', 'ipam'),
    name: fc.constantFrom(...IPAMS),
    which: fc.nat({ max: 9 }),
  }),
  fc.record({
    what: fc.constantFrom('restart', 'killed', 'resync', 'broken', 'foreign', 'foreignGone', 'unsync'),
    name: fc.constant(''),
    which: fc.nat({ max: 9 }),
  }),
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** Random programs of a cluster with the Egress door. */
export const egressPrograms = fc.array(step, { minLength: 5, maxLength: 40, size: 'max' });

const at = <T>(all: readonly T[], which: number): T => {
  const found = all[which % all.length];
  if (found === undefined) throw new RangeError('there is nothing to choose from');
  return found;
};

/** A run of the door through random steps; what is wrong after a step is in `breaches`. */
export class EgressProgram {
  readonly world: PlacementWorld;
  readonly #breaches = new Set<string>();
  #client: FaultyClient;
  #end: () => Promise<void> = () => Promise.resolve();
  #releases: (() => void)[] = [];
  /** The last list that its author wrote, by namespace. */
  readonly #authored = new Map<string, string>();

  readonly #chooser: 'door' | 'dataplane';

  constructor(chooser: 'door' | 'dataplane') {
    this.#chooser = chooser;
    this.world = new PlacementWorld({ chooser });
    this.#client = new FaultyClient(this.world.server);
    // an address in quarantine is its former holder's still, which may be placed with it while it takes it back
    const { dataplane } = this.world;
    dataplane.watchman = (addresses) => {
      const known = new Set(this.world.record().map((text) => text.split('=')[0]));
      for (const address of addresses)
        if (!known.has(address.toString())) dataplane.faults.push(`${address.toString()} has no claim`);
    };
  }

  /** What was wrong. A namespace is told of a node that has failed, so that its other addresses are not held up. */
  get breaches(): readonly string[] {
    return [...this.world.dataplane.faults.filter((text) => !text.includes('is to send from')), ...this.#breaches];
  }

  async begin(): Promise<void> {
    const { world } = this;
    for (const name of NODES) world.node(name, labelOf(name));
    for (const name of IPAMS) world.ipam(name, at(SPECS[name] ?? [], 0));
    world.namespace('foreign', undefined, FOREIGN_LIST);
    for (const [which, name] of NAMESPACES.entries()) world.namespace(name, which === 3 ? 'alt' : 'bm');
    await this.#open();
  }

  async take(each: Step): Promise<void> {
    await this.#steps[each.what]?.(each);
    // some of the work is done before the next step
    for (let turn = 0; turn < 20; turn++) {
      await new Promise(setImmediate);
      this.#check();
    }
  }

  /** Ends every fault, and waits until all is as it is to be. */
  async settle(): Promise<void> {
    const { world } = this;
    for (const release of this.#releases.splice(0)) release();
    if (this.#client.isDead) await this.#reopen();
    for (const each of FOREIGN) world.foreign(each);
    for (const name of NAMESPACES) {
      world.dataplane.away(`namespace/${name}`, false);
      // a list by its author may be one that is refused for ever
      if (this.#authored.has(name) && this.#isThere(name)) world.annotate(name, { list: undefined });
    }
    for (const name of NODES) {
      world.dataplane.away(`node/${name}`, false);
      world.dataplane.rooms.delete(name);
      world.node(name, labelOf(name));
    }
    // one that is being deleted waits for nodes that do not answer, and for namespaces that go to one that is missing
    const dying = IPAMS.filter((name) => !this.#isStable(name));
    for (const name of [...IPAMS.filter((each) => !dying.includes(each)), ...dying]) await this.#mend(name);
    await this.#settled();
  }

  /** Compares all once more in a new process; returns what that wrote. */
  async compareAgain(): Promise<readonly string[]> {
    const { world } = this;
    const [writes, requests] = [world.dataplane.writes.length, world.server.requests.length];
    const before = this.#comparisons();
    await this.#reopen();
    await world.until('all is compared again', () => this.#comparisons() > before);
    await this.#settled();
    // the status of an EgressIPAM may still have been on its way when the first process ended
    const stored = world.server.requests
      .slice(requests)
      .filter(({ method, path }) => method !== 'GET' && !path.endsWith('/status'));
    return [...world.dataplane.writes.slice(writes), ...stored.map(({ method, path }) => `${method} ${path}`)];
  }

  readonly #steps: Readonly<Record<string, (step: Step) => unknown>> = {
    up: ({ name }) => {
      this.world.dataplane.rooms.delete(name);
      this.world.node(name, labelOf(name));
    },
    down: ({ name }) => {
      this.world.node(name, { ...labelOf(name), downForMs: 1 });
    },
    cordoned: ({ name }) => {
      this.world.node(name, { ...labelOf(name), isCordoned: true });
    },
    unlabelled: ({ name }) => {
      this.world.node(name, { labels: {} });
    },
    deleted: ({ name }) => {
      this.world.removeNode(name);
    },
    full: ({ name }) => this.world.dataplane.rooms.set(name, { capacity: 1, used: 0 }),
    nodeAway: ({ name }) => {
      this.world.dataplane.away(`node/${name}`);
    },
    nodeBack: ({ name }) => {
      this.world.dataplane.away(`node/${name}`, false);
    },
    overtaken: ({ name }) => {
      this.world.dataplane.overtake(`node/${name}`);
    },
    nsAway: ({ name }) => {
      this.world.dataplane.away(`namespace/${name}`);
    },
    nsBack: ({ name }) => {
      this.world.dataplane.away(`namespace/${name}`, false);
    },
    nsSlow: ({ name }) => this.#releases.push(this.world.dataplane.hold(`namespace/${name}`)),
    made: ({ name, which }) => {
      if (this.#isThere(name)) return;
      const list = which > 6 ? at(LISTS, which) : undefined;
      this.world.namespace(name, at(IPAMS, which), list);
      this.#wrote(name, list);
    },
    optOut: ({ name }) => {
      if (this.#isThere(name)) this.world.annotate(name, { egressIpam: undefined });
    },
    optIn: ({ name, which }) => {
      if (this.#isThere(name)) this.world.annotate(name, { egressIpam: at(IPAMS, which) });
    },
    listOff: ({ name }) => {
      if (this.#isThere(name)) this.world.annotate(name, { list: undefined });
    },
    list: ({ name, which }) => {
      if (!this.#isThere(name)) return;
      this.world.annotate(name, { list: at(LISTS, which) });
      this.#wrote(name, at(LISTS, which));
    },
    removed: ({ name }) => {
      this.world.removeNamespace(name);
      this.#authored.delete(name);
    },
    spec: ({ name, which }) => {
      if (this.#isStored(name)) this.#respec(name, which);
    },
    forced: ({ name, which }) => {
      if (this.#isStored(name)) this.#respec(name, which, { annotations: { [EGRESS_FORCE]: 'true' } });
    },
    ipamGone: async ({ name }) => {
      if (this.#isStored(name)) await this.world.removeIpam(name);
    },
    ipam: ({ name, which }) => {
      if (!this.#isStored(name)) this.world.ipam(name, at(SPECS[name] ?? [], which));
    },
    restart: () => this.#reopen(),
    killed: async () => {
      this.#client.break('death');
      for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
      await this.#reopen();
    },
    resync: () => {
      this.world.dataplane.tell({ of: 'node', name: 'n1' });
    },
    broken: ({ which }) => {
      this.#client.break(at(['unsent', 'unanswered', 'conflict'] as const, which), 'conflict');
    },
    foreign: ({ which }) => {
      this.world.foreign(at(FOREIGN, which), 'EgressIP/other');
    },
    foreignGone: ({ which }) => {
      this.world.foreign(at(FOREIGN, which));
    },
    unsync: () => this.#reopen(() => this.#releases.push(this.world.dataplane.unsync())),
  };

  async #mend(name: string): Promise<void> {
    await this.world.until(`${name} is not being deleted`, () => this.#isStable(name));
    if (this.#isStored(name)) this.#respec(name, 0);
    else this.world.ipam(name, at(SPECS[name] ?? [], 0));
  }

  #comparisons(): number {
    return this.world.logger.lines.filter(({ message }) => message.includes('namespaces were compared')).length;
  }

  #isThere(name: string): boolean {
    return Object.keys(this.world.annotations(name)).length > 0;
  }

  #isStored(name: string): boolean {
    return Object.keys(this.world.storedIpam(name)).length > 0;
  }

  #isStable(name: string): boolean {
    return metadataOf(this.world.storedIpam(name))['deletionTimestamp'] === undefined;
  }

  #wrote(name: string, list: string | undefined): void {
    if (list !== undefined) this.#authored.set(name, list);
  }

  #respec(name: string, which: number, metadata: object = {}): void {
    const before = this.world.storedIpam(name);
    const old = metadataOf(before);
    this.world.server.put(`/apis/redhatcop.redhat.io/v1alpha1/egressipams/${name}`, {
      ...before,
      metadata: { ...old, generation: Number(old['generation']) + 1, annotations: {}, ...metadata },
      spec: at(SPECS[name] ?? [], which),
    });
  }

  async #open(): Promise<void> {
    this.#client = new FaultyClient(this.world.server);
    this.#end = await this.world.open(this.#client);
  }

  // what a request waits for must answer, or the process would never end
  async #reopen(meanwhile: () => unknown = () => undefined): Promise<void> {
    for (const release of this.#releases.splice(0)) release();
    await this.#end();
    meanwhile();
    await this.#open();
  }

  #check(): void {
    const { world } = this;
    const record = world.record();
    const addresses = record.map((text) => text.split('=')[0] ?? '');
    if (new Set(addresses).size < record.length) this.#breaches.add(`an address twice: ${record.join(' ')}`);
    for (const text of record) if (text.endsWith('=')) this.#breaches.add(`${text} has no owner`);
    for (const address of NEVER_GIVEN.filter((each) => addresses.includes(each)))
      this.#breaches.add(`${address} is reserved`);
    if (world.list('foreign') !== FOREIGN_LIST) this.#breaches.add('the list of a namespace of others was touched');
    for (const [name, { wanted }] of world.dataplane.namespaces)
      for (const { address } of wanted.addresses)
        if (!record.some((text) => text.replace('?', '') === `${address.toString()}=${name}`))
          this.#breaches.add(`${name} sends from ${address.toString()}, held is ${record.join(' ')}`);
    for (const name of NAMESPACES.filter((each) => this.#isThere(each))) this.#checkList(name, record);
  }

  #checkList(name: string, record: readonly string[]): void {
    const list = this.world.list(name);
    if (this.world.annotations(name)['other'] !== 'stays') this.#breaches.add(`${name} lost an annotation of others`);
    if (typeof list !== 'string' || list === this.#authored.get(name)) return;
    for (const address of list.split(','))
      if (!record.includes(`${address}=${name}`))
        this.#breaches.add(`${name} lists ${address}, held is ${record.join(' ')}`);
  }

  async #settled(): Promise<void> {
    const { world } = this;
    await world.until(
      () => `all is settled: ${world.placed().join(' ')}; ${JSON.stringify(world.dataplane.known())}`,
      () => this.#isSettled(),
    );
  }

  #isSettled(): boolean {
    const { world } = this;
    const served = NAMESPACES.filter((name) =>
      IPAMS.some((ipam) => Object.values(world.annotations(name)).includes(ipam)),
    );
    const held = world.record().filter((text) => !text.endsWith('?'));
    const listed = served.flatMap((name) =>
      String(world.list(name))
        .split(',')
        .map((text) => `${text}=${name}`),
    );
    const carried = world.placed().map((text) => text.split('@')[0]);
    const sent = served.flatMap((name) => (world.sent(name) ?? '').split(','));
    const placed = this.#chooser === 'door' ? world.placed() : carried.map((address) => `${String(address)}@`);
    return (
      held.join() === listed.sort().join() &&
      held.map((text) => text.split('=')[0]).join() === carried.join() &&
      sent.filter(Boolean).sort().join() === placed.join() &&
      world.dataplane.namespaces.size === served.length &&
      // n1 to n3 belong to a CIDR of each EgressIPAM, n4 to one of `bm`
      NODES.map((name) => world.dataplane.nodes.get(name)?.groups.length).join() === '2,2,2,1' &&
      IPAMS.every((name) => world.condition(name, 'Ready')[0] === 'True')
    );
  }
}

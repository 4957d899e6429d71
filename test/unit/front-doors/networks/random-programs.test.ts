import { mapOf, metadataOf, textOf, type JsonMap } from '../../../../operator/contract/loose-json';
import { NEPHIO, NETWORK_ANNOTATIONS } from '../../../../operator/contract/nephio';
import type { AllocRequest, AllocResponse, AllocSpec } from '../../../../operator/contract/networks/alloc/messages';
import type { NetworkEntry } from '../../../../operator/contract/networks/entry';
import { statusIn } from '../../../../operator/contract/stored-status';
import { isIpamError } from '../../../../operator/errors/ipam-error';
import type { Outcome } from '../../../../operator/errors/outcome';
import { FaultyClient, type Fault } from '../../../support/faulty-client';
import { mayLie } from '../../../support/golden-networks';
import { NetworkClaimsWorld } from '../../../support/network-claims-world';
import { selecting, type WorldKind } from '../../../support/networks-world';
import { numbersFrom } from '../../../support/pseudo-random';

const STEPS = 25;
const PROGRAMS = 12;
const INSTANCES = ['vpc-1', 'vpc-2'];
const KINDS: readonly WorldKind[] = ['prefix', 'allocation', 'allocation', 'allocation'];
const FAULTS: readonly Fault[] = ['unsent', 'unanswered', 'conflict', 'death'];
const LABELS: JsonMap = { use: 'x' };

const net = (prefix: string, network: string, more: JsonMap = {}): JsonMap => ({
  kind: 'network',
  prefix,
  network,
  ...more,
});
const PREFIXES: readonly JsonMap[] = [
  ...[
    { kind: 'aggregate', prefix: '10.0.0.0/16' },
    { kind: 'pool', prefix: '10.0.8.0/24' },
  ],
  ...[net('10.0.1.1/28', 'net1'), net('10.0.1.2/28', 'net1'), net('10.0.1.1/27', 'net1'), net('10.0.2.1/29', 'net2')],
  ...[net('10.0.1.1/28', 'net1', { excluded: ['10.0.1.3-10.0.1.5'] }), net('10.0.1.1/28', 'net1', { draining: true })],
  net('10.0.1.0/28', 'net1', { range: '10.0.1.8-10.0.1.11' }),
];
/** Kinds that are given something. */
const OWNERS = ['IPAllocation', 'Allocation', 'IPAddressClaim'];
/** By an expression, which may name another instance later. */
const inInstance = (instance: string, network?: string): JsonMap => ({
  matchExpressions: [{ key: NEPHIO.networkInstance, operator: 'In', values: [instance] }],
  ...(network === undefined ? {} : { matchLabels: { [NEPHIO.networkName]: network } }),
});
const ALLOCATIONS: readonly JsonMap[] = [
  ...INSTANCES.flatMap((instance) => ['net1', 'net2'].map((network) => ({ selector: inInstance(instance, network) }))),
  { selector: inInstance('vpc-1', 'net1'), prefix: '10.0.1.7/28' },
  ...[28, 30].map((prefixLength) => ({ kind: 'pool', prefixLength, selector: inInstance('vpc-1') })),
  { kind: 'loopback', selector: inInstance('vpc-1') },
  { selector: selecting('net1', { use: 'x' }) },
];

const PAUSED = 'cluster.x-k8s.io/paused';
/** Codes of refusals that a client asks again after, as docs/networks.md has it. */
const AGAIN = ['store/not-ready', 'store/conflict', 'cluster/unavailable'];
const SPECS: readonly Partial<AllocSpec>[] = [
  ...['net1', 'net2'].map((network) => ({ prefixkind: 'network', network })),
  { prefixkind: 'pool', prefixLength: 29 },
  { prefixkind: 'loopback' },
];
const specOf = (more: Partial<AllocSpec>): AllocSpec => ({
  prefix: '',
  prefixLength: 0,
  network: '',
  addressFamily: '',
  matchExpressions: [],
  prefixkind: '',
  selector: { [NEPHIO.networkInstance]: 'vpc-1' },
  ...more,
});

/** One random program over the door with its controller, its record and a connection that fails. */
class DoorProgram {
  readonly world = new NetworkClaimsWorld();
  readonly #next: () => number;
  #client = new FaultyClient(this.world.server);
  #end: () => Promise<void> = () => Promise.resolve();
  log: string[] = [];
  /** What calls were given by name, and did not release. */
  readonly #called = new Map<string, string>();

  constructor(seed: number) {
    this.#next = numbersFrom(seed);
  }

  #one<T>(of: readonly T[]): T {
    return of[this.#next() % of.length] as T;
  }

  async #start(): Promise<void> {
    await this.#end();
    // what a dead process decided is carried out by the next one after a time
    this.world.clock.advance(100);
    this.#client = new FaultyClient(this.world.server);
    this.#end = (await this.world.openBoth(this.#client)).close;
  }

  async run(): Promise<void> {
    await this.#start();
    for (const name of INSTANCES) this.world.instance(name);
    for (let step = 0; step < STEPS; step++) {
      this.#client.break(...Array.from({ length: this.#next() % 3 }, () => this.#one(FAULTS)));
      const before = this.#served();
      const touched = await this.#step();
      await this.#settle();
      this.#check(before, touched);
    }
    await this.#checkEnd();
    await this.#end();
  }

  // What a step touched may move; everything else stays.
  async #step(): Promise<string> {
    const kind = this.#one<WorldKind | 'claim' | 'call'>([...KINDS, 'claim', 'claim', 'call', 'call']);
    if (kind === 'claim') return this.#claim();
    return kind === 'call' ? this.#call() : this.#write(kind);
  }

  async #write(kind: WorldKind): Promise<string> {
    const name = `${kind[0] ?? ''}${String(this.#next() % 7)}`;
    const stored = this.world.server.get(this.world.path(kind, name));
    const act = this.#one(['write', 'write', 'write', 'remove', 'restart']);
    this.log.push(`${act} ${kind} ${name}`);
    if (act === 'restart') await this.#start();
    else if (act === 'remove' && stored !== undefined) await this.world.remove(kind, name);
    else if (stored === undefined) this.#create(kind, name);
    else if (metadataOf(stored)['deletionTimestamp'] === undefined) this.#change(kind, name);
    return act === 'restart' ? '' : name;
  }

  // A claim of an IPPrefix or a network, whether it is there or not; one that is paused keeps what it has.
  async #claim(): Promise<string> {
    const name = `c${String(this.#next() % 5)}`;
    const path = this.world.pathOf('claim', name);
    const stored = this.world.server.get(path);
    const act = this.#one(['remove', 'pause']);
    this.log.push(`${stored === undefined ? 'write' : act} claim ${name}`);
    if (stored === undefined) {
      const pool = this.#one(['p0', 'p1', 'p2', 'p3', ...INSTANCES]);
      const kind = INSTANCES.includes(pool) ? ('NetworkInstance' as const) : ('IPPrefix' as const);
      this.world.claim(name, { kind, pool, annotations: { [NETWORK_ANNOTATIONS.networkName]: 'net1' } });
    } else if (act === 'remove') await this.world.server.request({ method: 'DELETE', path });
    else {
      const { annotations, ...metadata } = metadataOf(stored);
      const { [PAUSED]: paused, ...others } = annotations as JsonMap;
      const changed = paused === undefined ? { ...others, [PAUSED]: 'true' } : others;
      this.world.server.put(path, { ...stored, metadata: { ...metadata, annotations: changed } });
    }
    return name;
  }

  // A client repeats what was not answered, until it is.
  async #call(): Promise<string> {
    const name = `g${String(this.#next() % 5)}`;
    const before = this.#called.get(name);
    const isRelease = before !== undefined && this.#next() % 2 === 0;
    const request = { namespace: 'default', name, kind: 'ipam', labels: {}, spec: specOf(this.#one(SPECS)) };
    this.log.push(`${isRelease ? 'release' : 'call'} ${name}`);
    for (;;) {
      const answer = await this.#asked(isRelease, request);
      if (this.#client.isDead) await this.#start();
      else if (answer !== undefined) {
        if (answer.ok) this.#answered(name, isRelease ? undefined : textOf(answer.value.allocatedPrefix));
        return name;
      }
      await this.world.until('calls are decided', () => this.#client.isDead || this.#calls().ready().ok);
    }
  }

  #calls() {
    return this.world.latest!.controller.clients;
  }

  /** The answer to a call; undefined where it is to be repeated. */
  async #asked(isRelease: boolean, request: AllocRequest): Promise<Outcome<Partial<AllocResponse>> | undefined> {
    const calls = this.#calls();
    try {
      const answer = await (isRelease ? calls.deallocate(request) : calls.allocate(request));
      return answer.ok || !AGAIN.includes(answer.refusal.code) ? answer : undefined;
    } catch (thrown) {
      if (isIpamError(thrown) && AGAIN.includes(thrown.code)) return undefined;
      throw thrown;
    }
  }

  // One name is given one thing.
  #answered(name: string, prefix: string | undefined): void {
    if (prefix === undefined) {
      this.#called.delete(name);
      return;
    }
    const before = this.#called.get(name) ?? prefix;
    expect([this.log.join(', '), prefix]).toEqual([this.log.join(', '), before]);
    this.#called.set(name, prefix);
  }

  #create(kind: WorldKind, name: string): void {
    if (kind === 'allocation') {
      this.world.allocation(name, this.#one(ALLOCATIONS));
      return;
    }
    const { prefix, ...spec } = this.#one(PREFIXES);
    const labels = this.#one<JsonMap>([{}, LABELS, { [NEPHIO.gateway]: 'true' }]);
    this.world.prefix(name, textOf(prefix), { ...spec, labels, networkInstance: this.#one(INSTANCES) });
  }

  #change(kind: WorldKind, name: string): void {
    if (kind === 'allocation') this.world.change(kind, name, { spec: this.#one(ALLOCATIONS) });
    else {
      const { networkInstance } = this.world.stored(kind, name)['spec'] as JsonMap;
      this.world.change(kind, name, { spec: { ...this.#one(PREFIXES), networkInstance } });
    }
  }

  #objects(kind: WorldKind): readonly JsonMap[] {
    return this.world.server.all(this.world.path(kind));
  }

  async #settle(): Promise<void> {
    const isSettled = (object: JsonMap): boolean => {
      const { observedGeneration, conditions } = statusIn(object);
      const { generation, deletionTimestamp } = metadataOf(object);
      if (deletionTimestamp !== undefined) return JSON.stringify(conditions ?? []).includes('"InUse"');
      return observedGeneration === generation && Array.isArray(conditions);
    };
    const all = () => (['instance', 'prefix', 'allocation'] as const).flatMap((kind) => this.#objects(kind));
    const isClaimSettled = (claim: JsonMap): boolean => {
      const { name, annotations, deletionTimestamp } = metadataOf(claim);
      if (mapOf(annotations)[PAUSED] !== undefined) return true;
      return deletionTimestamp === undefined && this.world.claimReady(textOf(name)) !== undefined;
    };
    for (;;) {
      await this.world.until(
        `settled after ${this.log.join(', ')}`,
        () => this.#client.isDead || (all().every(isSettled) && this.#claims().every(isClaimSettled)),
      );
      if (!this.#client.isDead) return;
      await this.#start();
    }
  }

  #claims(): readonly JsonMap[] {
    return this.world.server.allPaths('ipaddressclaims').map((path) => this.world.server.get(path) ?? {});
  }

  /** What allocations and IPAddresses show, and calls were given, by name. */
  #shown(): ReadonlyMap<string, string> {
    const all = this.#objects('allocation');
    const claims = this.#claims().map((claim) => textOf(metadataOf(claim)['name']));
    return new Map([
      ...all.map((object) => [textOf(metadataOf(object)['name']), textOf(statusIn(object)['prefix'])] as const),
      ...claims.map((name) => [name, textOf(mapOf(this.world.storedAddress(name)['spec'])['address'])] as const),
      ...this.#called,
    ]);
  }

  /** What allocations have that ask for nothing else; one that waits moves once its new request can be served. */
  #served(): ReadonlyMap<string, string> {
    const isServed = (name: string): boolean =>
      !name.startsWith('a') || this.world.condition('allocation', name)?.['status'] === 'True';
    return new Map([...this.#shown()].filter(([name]) => isServed(name)));
  }

  #entries(): readonly (readonly NetworkEntry[])[] {
    return INSTANCES.map((name) => this.world.entries(`default.${name}`));
  }

  #check(before: ReadonlyMap<string, string>, touched: string): void {
    const now = this.#shown();
    const moved = [...before].filter(([name, prefix]) => {
      return name !== touched && prefix !== '' && now.has(name) && now.get(name) !== prefix;
    });
    expect([this.log.join(', '), moved]).toEqual([this.log.join(', '), []]);
    for (const entries of this.#entries())
      expect(entries.filter((entry) => !mayLie(entries, entry)).map(({ block }) => block.toString())).toEqual([]);
  }

  // Everything that an object shows is on record for it, and what is on record has its object.
  async #checkEnd(): Promise<void> {
    await this.#start();
    await this.#settle();
    await this.world.until(`record and objects agree after ${this.log.join(', ')}`, () => this.#agrees(this.#heldBy()));
    expect([...this.#heldBy().values()].every((blocks) => blocks.size === 1)).toBe(true);
  }

  #heldBy(): ReadonlyMap<string, ReadonlySet<string>> {
    const held = new Map<string, Set<string>>();
    for (const entry of this.#entries().flat())
      for (const owner of [entry.owner, entry.user])
        if (owner !== undefined && OWNERS.includes(owner.kind))
          held.set(owner.name, (held.get(owner.name) ?? new Set()).add(entry.block.toString()));
    return held;
  }

  #agrees(held: ReadonlyMap<string, ReadonlySet<string>>): boolean {
    const shown = [...this.#shown()].filter(([, prefix]) => prefix !== '');
    const isShownHeld = shown.every(([name, prefix]) => {
      const [block] = held.get(name) ?? [];
      return block !== undefined && block.split('/')[0] === prefix.split('/')[0];
    });
    return isShownHeld && [...held.keys()].every((name) => this.#shown().has(name));
  }
}

test.each(Array.from({ length: PROGRAMS }, (_, index) => index + 1))(
  'CONC-01 random program %d with faults and restarts moves nothing, and ends with a record of what is shown',
  async (seed) => {
    const program = new DoorProgram(seed);
    await program.run();
    expect(program.log).toHaveLength(STEPS);
  },
  120_000,
);

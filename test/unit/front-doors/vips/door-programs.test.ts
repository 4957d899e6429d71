import fc from 'fast-check';
import { setImmediate, setTimeout as pause } from 'node:timers/promises';
import { SYSTEM_CLOCK } from '../../../../operator/backends/system/system-clock';
import type { ApiRequest } from '../../../../operator/cluster/api/api-client';
import { listOf, mapOf, metadataOf, textOf, type JsonMap } from '../../../../operator/contract/loose-json';
import { IpamError } from '../../../../operator/errors/ipam-error';
import { refusedWith } from '../../../support/memory-api-client';
import { VipsDoorWorld } from '../../../support/vips-door-world';

const SERVICES = '/api/v1/namespaces/test/services';
const IPS = '/apis/paas.org/v1/ips';
const SEGMENT = '10.0.0.0/31';
/** Fewer than there are Services. */
const ALL = Array.from({ length: 2 }, (_, at) => `10.0.0.${String(at)}`);
const NAMES = ['a', 'b', 'c', 'd', 'e'];
const GRACE_MS = 5;
/** Pauses of the door are this long at most; those of minutes never end. */
const LONGEST_PAUSE_MS = 3;
const NEVER_MS = 60_000;
/** Without a request for so long, the door has done what it had to do: several of its pauses. */
const QUIET_MS = 40;
/** Programs; `VIPS_PROGRAMS=1000` runs so many other ones. */
const MANY = process.env['VIPS_PROGRAMS'];
const RUNS = Number(MANY ?? '40');

type Fault = 'conflict' | 'lost' | 'unsent';

type Step =
  | { readonly do: 'store'; readonly name: string; readonly wish: string; readonly key: string; readonly type: string }
  | { readonly do: 'delete' | 'renew' | 'empty' | 'forget'; readonly name: string }
  | { readonly do: 'exclude'; readonly addresses: readonly string[] }
  | { readonly do: 'fault'; readonly as: Fault; readonly after: number }
  | { readonly do: 'restart'; readonly crashes: boolean }
  | { readonly do: 'turn'; readonly turns: number };

const name = fc.constantFrom(...NAMES);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('store' as const),
      name,
      wish: fc.constantFrom('', '', '', '', ...ALL, '10.9.9.9'),
      key: fc.constantFrom('', '', '', 'k', 'l'),
      type: fc.constantFrom('LoadBalancer', 'LoadBalancer', 'LoadBalancer', 'ClusterIP'),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom('delete' as const, 'renew' as const), name }) },
  {
    weight: 7,
    arbitrary: fc.record({
      do: fc.constantFrom('empty' as const, 'forget' as const, 'forget' as const, 'forget' as const),
      name,
    }),
  },
  fc.record({ do: fc.constant('exclude' as const), addresses: fc.subarray(ALL, { maxLength: 1 }) }),
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('fault' as const),
      as: fc.constantFrom<Fault[]>('conflict', 'lost', 'unsent'),
      after: fc.nat({ max: 3 }),
    }),
  },
  fc.record({ do: fc.constant('restart' as const), crashes: fc.boolean() }),
  { weight: 6, arbitrary: fc.record({ do: fc.constant('turn' as const), turns: fc.nat({ max: 30 }) }) },
);

const shownBy = (service: JsonMap | undefined): readonly string[] =>
  listOf(mapOf(mapOf(service?.['status'])['loadBalancer'])['ingress']).map((each) => textOf(mapOf(each)['ip']));
const keysOf = (object: JsonMap | undefined): JsonMap => mapOf(metadataOf(object)['annotations']);
const wishOf = (service: JsonMap | undefined): string => textOf(keysOf(service)['paas.org/addresses']);
const sharingOf = (service: JsonMap | undefined): string => textOf(keysOf(service)['paas.org/sharing-key']);
const nameIn = (object: JsonMap): string => textOf(metadataOf(object)['name']);

// The record decides about sharing in one write, in which the key of the other Service was the same.
function isJoined(service: JsonMap, holders: readonly unknown[]): boolean {
  const own = holders.find((each) => mapOf(each)['uid'] === metadataOf(service)['uid']);
  const key = textOf(mapOf(mapOf(own)['sharing'])['key']);
  return key !== '' && key === sharingOf(service);
}

/** The door over an API server in memory, while other programs change what it serves. */
class Program {
  readonly world = new VipsDoorWorld();
  /** Writes of the door that no write may be. */
  readonly wrong: string[] = [];
  #excluded: readonly string[] = [];
  #uids = 0;
  #fault: { readonly as: Fault; left: number } | undefined;
  #isDead = false;
  #isOwn = false;
  #calls = 0;
  readonly #turns: readonly number[];
  /** Address that each Service had last, by UID: one whose status was emptied has it back, whatever it shares by now. */
  readonly #given = new Map<unknown, string>();
  /** Holders of each address when the last write of a Service was sent: an IP may be taken away before it arrives. */
  readonly #sent = new Map<string, ReadonlyMap<string, readonly unknown[]>>();
  /** Requests that have waited. */
  readonly #passing = new WeakSet<ApiRequest>();

  /** Begins with a group; each request, and each answer, takes so many turns of the event loop, one after the other. */
  constructor(turns: readonly number[]) {
    const { world } = this;
    this.#turns = turns;
    world.orphanGraceMs = GRACE_MS;
    world.clock.after = (ms, run) =>
      ms >= NEVER_MS ? () => undefined : SYSTEM_CLOCK.after(Math.min(ms, LONGEST_PAUSE_MS), run);
    world.namespace('test');
    world.group('g', { segment: SEGMENT }, { generation: 1 });
    const { server } = world;
    const put = server.put.bind(server);
    server.put = (path, object) => {
      const before = server.get(path);
      const after = put(path, object);
      if (!this.#isOwn && path.startsWith(SERVICES)) this.#judge(before, after);
      return after;
    };
    server.intercept = (request) => this.#intercept(request);
  }

  get services(): readonly JsonMap[] {
    return this.world.server.all(SERVICES);
  }

  get ips(): readonly JsonMap[] {
    return this.world.server.all(IPS);
  }

  /** Addresses that are neither on record nor excluded. */
  get free(): readonly string[] {
    const held = this.ips.map(nameIn);
    return ALL.filter((each) => !held.includes(each) && !this.#excluded.includes(each));
  }

  /** What each Service shows, and why. */
  get outcome(): readonly unknown[] {
    return this.services.map((each) => {
      const { status, reason } = this.world.condition(nameIn(each)) ?? {};
      return [nameIn(each), shownBy(each), status, reason];
    });
  }

  get writes(): number {
    return this.world.server.requests.filter(({ method }) => method !== 'GET').length;
  }

  async start(): Promise<void> {
    await this.world.open();
    this.world.lead();
  }

  /** Waits until the door does nothing more. */
  async rest(): Promise<void> {
    this.#fault = undefined;
    const { server, clock } = this.world;
    for (let before = -1; before !== server.requests.length;) {
      before = server.requests.length;
      clock.advance(2 * GRACE_MS);
      await pause(QUIET_MS);
    }
  }

  async take(each: Step): Promise<void> {
    if (each.do === 'turn') return turned(each.turns);
    if (each.do === 'restart') return this.#restart(each.crashes);
    this.#makeChange(each);
  }

  #makeChange(each: Exclude<Step, { readonly do: 'turn' | 'restart' }>): void {
    switch (each.do) {
      case 'store':
        this.#store(each);
        break;
      case 'delete':
        this.world.removeService(each.name);
        break;
      case 'renew':
        this.#renew(each.name);
        break;
      case 'empty':
        this.#empty(each.name);
        break;
      case 'forget':
        this.#forget(each.name);
        break;
      case 'exclude':
        this.#exclude(each.addresses);
        break;
      case 'fault':
        this.#fault = { as: each.as, left: each.after };
    }
  }

  #stored(of: string): JsonMap | undefined {
    return this.world.server.get(`${SERVICES}/${of}`);
  }

  #put(of: string, object: JsonMap): void {
    this.#isOwn = true;
    this.world.server.put(`${SERVICES}/${of}`, object);
    this.#isOwn = false;
  }

  #empty(of: string): void {
    const before = this.#stored(of);
    if (before !== undefined) this.#put(of, { ...before, status: { ...mapOf(before['status']), loadBalancer: {} } });
  }

  #forget(of: string): void {
    for (const address of shownBy(this.#stored(of))) this.world.server.remove(`${IPS}/${address}`);
  }

  #store({ name: of, wish, key, type }: Step & { readonly do: 'store' }): void {
    const before = this.#stored(of);
    const annotations = {
      ...(wish === '' ? {} : { 'paas.org/addresses': wish }),
      ...(key === '' ? {} : { 'paas.org/sharing-key': key }),
    };
    const made = {
      namespace: 'test',
      name: of,
      uid: `uid-${String(++this.#uids)}`,
      creationTimestamp: '2026-01-01T00:00:00Z',
    };
    this.#put(of, {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { ...(before === undefined ? made : metadataOf(before)), annotations },
      spec: {
        type,
        ipFamilies: ['IPv4'],
        ipFamilyPolicy: 'SingleStack',
        selector: { app: of },
        ports: [{ port: 80 + NAMES.indexOf(of), protocol: 'TCP' }],
      },
      // the API server empties the status of a Service that is no load balancer any more
      status:
        type === 'ClusterIP' ? { conditions: mapOf(before?.['status'])['conditions'] } : (before?.['status'] ?? {}),
    });
  }

  #renew(of: string): void {
    const before = this.#stored(of);
    if (before === undefined) return;
    this.world.removeService(of);
    this.#put(of, { ...before, metadata: { ...metadataOf(before), uid: `uid-${String(++this.#uids)}` }, status: {} });
  }

  #exclude(addresses: readonly string[]): void {
    this.#excluded = addresses;
    const path = '/apis/paas.org/v1/ipgroups/g';
    const group = this.world.server.get(path) ?? {};
    const metadata = { ...metadataOf(group), generation: Number(metadataOf(group)['generation']) + 1 };
    this.world.server.put(path, { ...group, metadata, spec: { segment: SEGMENT, excludedIPs: [...addresses] } });
  }

  // A process that crashes writes nothing more, whatever it was about to.
  async #restart(crashes: boolean): Promise<void> {
    this.#isDead = crashes;
    await this.world.close();
    this.#isDead = false;
    await this.start();
  }

  async #intercept(request: ApiRequest) {
    if (request.method === 'GET' || this.#passing.has(request)) return undefined;
    const holders = new Map(this.ips.map((ip) => [nameIn(ip), listOf(mapOf(ip['spec'])['holders'])] as const));
    this.#sent.set(request.path.replace(/\/status$/u, ''), holders);
    await this.#delay();
    if (this.#isDead) throw new IpamError('cluster/unavailable', 'the process is dead');
    const fault = this.#faultOf(request);
    if (fault === 'conflict') return refusedWith(409, 'Conflict');
    if (fault === 'unsent') throw new IpamError('cluster/unavailable', 'the request was not sent');
    this.#passing.add(request);
    const answer = await this.world.server.request(request);
    await this.#delay();
    if (fault === 'lost') throw new IpamError('cluster/unavailable', 'the answer was lost');
    return answer;
  }

  #delay(): Promise<void> {
    return turned(this.#turns[this.#calls++ % this.#turns.length] ?? 0);
  }

  #faultOf({ path }: ApiRequest): Fault | undefined {
    const fault = this.#fault;
    if (fault === undefined || path.endsWith('/ipgroups/g/status') || fault.left-- > 0) return undefined;
    this.#fault = undefined;
    return fault.as;
  }

  #judge(before: JsonMap | undefined, after: JsonMap): void {
    const [was, is] = [shownBy(before), shownBy(after)];
    if (was.join() === is.join()) return;
    const faults = [
      ...(is.length > 1 ? ['two addresses'] : []),
      ...(mapOf(after['spec'])['type'] === 'LoadBalancer' ? [] : ['no load balancer']),
      ...(was.length > 0 && is.join() !== wishOf(after) ? ['moved without a wish'] : []),
      ...is.flatMap((address) => this.#faultsOf(after, address)),
    ];
    for (const address of is) this.#given.set(metadataOf(after)['uid'], address);
    this.wrong.push(...faults.map((each) => `${nameIn(after)} [${was.join()}] to [${is.join()}]: ${each}`));
  }

  #faultsOf(service: JsonMap, address: string): readonly string[] {
    const { uid } = metadataOf(service);
    const holders = this.#sent.get(`${SERVICES}/${nameIn(service)}`)?.get(address) ?? [];
    const others = this.services.filter((each) => metadataOf(each)['uid'] !== uid && shownBy(each).includes(address));
    return [
      ...(holders.some((each) => mapOf(each)['uid'] === uid) ? [] : ['not on record']),
      ...(others.length > 0 && !isJoined(service, holders) && this.#given.get(uid) !== address ? ['given twice'] : []),
    ];
  }
}

async function turned(turns: number): Promise<void> {
  for (let left = turns; left > 0; left--) await setImmediate();
}

function expectInOrder(program: Program): void {
  const { services, ips, world, free } = program;
  const shown = services.flatMap((each) =>
    shownBy(each).map((address) => `${address} ${textOf(metadataOf(each)['uid'])}`),
  );
  const onRecord = ips.flatMap((ip) =>
    listOf(mapOf(ip['spec'])['holders']).map((each) => `${nameIn(ip)} ${textOf(mapOf(each)['uid'])}`),
  );
  expect(onRecord.filter((each) => !shown.includes(each))).toEqual([]);
  for (const each of shown.filter((one) => !onRecord.includes(one))) expectContested(program, each);
  for (const service of services) {
    const [wish, condition] = [wishOf(service), world.condition(nameIn(service))];
    if (mapOf(service['spec'])['type'] === 'ClusterIP') expect([shownBy(service), condition]).toEqual([[], undefined]);
    else if (wish === '' && shownBy(service).length === 0)
      expect([condition?.['reason'], free]).toEqual(['NoFreeAddress', []]);
    else if (free.includes(wish)) expect(shownBy(service)).toEqual([wish]);
  }
}

// Services that shared an address, and may not any more, keep it when the IP is taken away; one of them has it on record then.
function expectContested({ services, ips, world }: Program, shown: string): void {
  const [address, uid] = shown.split(' ');
  const [name] = services.flatMap((each) => (metadataOf(each)['uid'] === uid ? nameIn(each) : []));
  const isTold =
    world.condition(name ?? '')?.['reason'] === 'Conflict' ||
    world.events.some((each) => each.name === name && each.reason === 'Conflict');
  expect([shown, isTold, ips.map(nameIn)]).toEqual([shown, true, expect.arrayContaining([address])]);
}

async function run(steps: readonly Step[], turns: readonly number[]): Promise<void> {
  const program = new Program(turns);
  try {
    await program.start();
    for (const each of steps) await program.take(each);
    await program.rest();
    expect(program.wrong).toEqual([]);
    expectInOrder(program);
    // a restart may word a condition anew, and changes nothing else; the next one finds nothing to write at all
    const before = program.outcome;
    await program.take({ do: 'restart', crashes: false });
    await program.rest();
    expect(program.outcome).toEqual(before);
    const { writes } = program;
    await program.take({ do: 'restart', crashes: false });
    await program.rest();
    expect(program.writes - writes).toBe(0);
  } finally {
    await program.world.close();
  }
}

test(
  'whatever Services ask for while writes fail and processes crash, no address is given twice, lost or moved',
  async () => {
    const turns = fc.array(fc.nat({ max: 4 }), { minLength: 1, maxLength: 5 });
    const steps = fc.array(step, { minLength: 5, maxLength: 30, size: 'max' });
    const params = { numRuns: RUNS, ...(MANY === undefined ? { seed: 15 } : {}) };
    await fc.assert(fc.asyncProperty(steps, turns, run), params);
  },
  120_000 + 2_000 * RUNS,
);

import { addressClaimCodec } from '../../operator/backends/claim-objects/address-claim-codec';
import type { ClaimObjectStore } from '../../operator/backends/claim-objects/claim-objects';
import type { ApiAnswer, ApiClient, ApiRequest } from '../../operator/cluster/api/api-client';
import { listOf, mapOf, type JsonMap } from '../../operator/contract/loose-json';
import { IpamError, valueOf } from '../../operator/errors/ipam-error';
import type { AddressRecord, Move } from '../../operator/ports/claims';
import {
  addressText,
  at,
  binding,
  firstHolder,
  holderOf,
  leaseOf,
  placeOf,
  refusalOf,
  releasing,
  spaceOf,
  taken,
  takenOf,
  taking,
  takingBoth,
} from './claim-requests';
import type { ManualClock } from './manual-clock';
import { openClaims, type OpenedClaims, type Opening } from './open-claim-objects';

const GROUP = '/apis/ipam.vitistack.io/v1alpha1';
const CLAIMS = `${GROUP}/addressclaims`;
const TABLE = `${GROUP}/addresstables/default`;

/** An empty API server with our kinds, and its clock. */
export interface ClaimServer {
  readonly client: ApiClient;
  readonly clock: ManualClock;
}

/** The client of a process that dies before a request of its own: from then on nothing of it reaches the server. */
export class MortalClient implements ApiClient {
  readonly #client: ApiClient;
  #diesBefore: (request: ApiRequest) => boolean = () => false;
  #isDead = false;

  constructor(client: ApiClient) {
    this.#client = client;
  }

  /** Makes it die before a request. */
  dieBefore(request: (request: ApiRequest) => boolean): void {
    this.#diesBefore = request;
  }

  /** Lets it live again, as a connection that comes back. */
  revive(): void {
    this.#diesBefore = () => false;
    this.#isDead = false;
  }

  request(request: ApiRequest): Promise<ApiAnswer> {
    this.#isDead ||= this.#diesBefore(request);
    if (this.#isDead) return Promise.reject(new IpamError('cluster/unavailable', 'the process is dead'));
    return this.#client.request(request);
  }

  stream(request: ApiRequest): ReturnType<ApiClient['stream']> {
    return this.#client.stream(request);
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

/** A gate that is open until it is shut. */
class Gate {
  #shut: Promise<void> | undefined;
  #open: () => void = () => undefined;

  shut(): void {
    this.#shut = new Promise((resolve) => (this.#open = resolve));
  }

  open(): void {
    this.#shut = undefined;
    this.#open();
  }

  async pass(): Promise<void> {
    await this.#shut;
  }
}

/** The client of a process whose watches, and some of whose requests, wait before a gate. */
class GatedClient implements ApiClient {
  readonly watches = new Gate();
  readonly writes = new Gate();
  /** Requests that wait before the gate of the writes. */
  gated: (request: ApiRequest) => boolean = () => false;
  readonly #client: ApiClient;

  constructor(client: ApiClient) {
    this.#client = client;
  }

  async request(request: ApiRequest): Promise<ApiAnswer> {
    if (this.gated(request)) await this.writes.pass();
    return this.#client.request(request);
  }

  async stream(request: ApiRequest): ReturnType<ApiClient['stream']> {
    const answer = await this.#client.stream(request);
    return Symbol.asyncIterator in answer ? this.#lagging(answer) : answer;
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  async *#lagging(events: AsyncIterable<JsonMap>): AsyncGenerator<JsonMap> {
    for await (const event of events) {
      await this.watches.pass();
      yield event;
    }
  }
}

const toClaims =
  (method: ApiRequest['method'], turn = 1) =>
  (request: ApiRequest): boolean =>
    request.method === method && request.path.startsWith(CLAIMS) && (turn -= 1) === 0;

/**
 * Behaviour of claims as cluster objects beyond the contract of claims: several processes, and processes that die.
 *
 * @param server - an empty one for each test
 */
export function claimObjectsSuite(server: () => ClaimServer): void {
  let opened: OpenedClaims[];
  beforeEach(() => {
    opened = [];
  });
  afterEach(async () => {
    await Promise.all(opened.map((each) => each.close()));
  });
  const process = async (opening: Opening & { readonly client?: ApiClient } = {}): Promise<ClaimObjectStore> => {
    const { client = server().client, ...rest } = opening;
    const claims = await openClaims(client, { clock: server().clock, ...rest });
    opened.push(claims);
    return claims.store;
  };
  const mortal = async (opening: Opening = {}): Promise<{ store: ClaimObjectStore; client: MortalClient }> => {
    const client = new MortalClient(server().client);
    return { store: await process({ ...opening, client }), client };
  };
  const read = async (path: string): Promise<JsonMap | undefined> => {
    const answer = await server().client.request({ method: 'GET', path });
    return answer.ok ? answer.body : undefined;
  };
  const decisions = async (): Promise<number> => listOf(mapOf((await read(TABLE))?.['spec'])['decisions']).length;
  const claims = async (): Promise<readonly AddressRecord[]> => {
    const items = listOf((await read(CLAIMS))?.['items']) as readonly JsonMap[];
    return items.flatMap((item) => addressClaimCodec('networks').read(item) ?? []);
  };
  const overlaps = (records: readonly AddressRecord[]): number =>
    records.filter((a, i) => records.some((b, j) => i < j && spaceOf(text(a)).overlaps(spaceOf(text(b))))).length;
  const text = ({ address, length }: AddressRecord): string => `${address.toString()}/${length}`;

  describe('several processes', () => {
    test('of overlapping prefixes that two processes take at once, one is given', async () => {
      const stores = [await process(), await process()];
      const space = spaceOf('10.8.0.0/16');
      for (let round = 0; round < 25; round += 1) {
        const wishes = [`10.8.${round}.0/24`, `10.8.${round}.128/25`, `10.8.${round}.130`];
        const calls = wishes.map((address, i) =>
          stores[(round + i) % 2]!.take(taking(`w${round}${i}`, { space, address })),
        );
        const outcomes = await Promise.all(calls);
        expect(outcomes.filter(({ ok }) => ok)).toHaveLength(1);
        const codes = outcomes.flatMap((outcome) => (outcome.ok ? [] : [outcome.refusal.code]));
        expect(codes).toEqual(['address/held', 'address/held']);
      }
      const all = await claims();
      expect([all.length, overlaps(all), await decisions()]).toEqual([25, 0, 0]);
    }, 60_000);

    test('give each free block of a pool once, however many ask', async () => {
      const stores = [await process(), await process(), await process()];
      const space = spaceOf('10.9.0.0/27');
      const lengths = [32, 29, 32, 30, 31, 32];
      const calls = Array.from({ length: 18 }, (_, i) =>
        stores[i % 3]!.take(taking(`c${i}`, { space, length: lengths[i % 6]! })),
      );
      const outcomes = await Promise.all(calls);
      const codes = outcomes.flatMap((outcome) => (outcome.ok ? [] : [outcome.refusal.code]));
      expect(new Set(codes)).toEqual(new Set(['pool/exhausted']));
      const all = await claims();
      expect([all.length, overlaps(all)]).toEqual([outcomes.filter(({ ok }) => ok).length, 0]);
    }, 60_000);

    test('give one claim to callers with one key', async () => {
      const stores = [await process(), await process()];
      const outcomes = await Promise.all([0, 1, 2, 3].map((i) => stores[i % 2]!.take(taking('web'))));
      // a process that meets the decision of another one under way asks its caller to come again
      const given = outcomes.flatMap((outcome) => (outcome.ok ? outcome.value : []));
      expect(given.filter(({ created }) => created)).toHaveLength(1);
      expect(new Set(outcomes.flatMap((outcome) => (outcome.ok ? [] : [outcome.refusal.code])))).toEqual(
        new Set(given.length === 4 ? [] : ['store/conflict']),
      );
      expect(await takenOf(stores[1]!, taking('web'))).toMatchObject({ created: false });
      expect(await claims()).toHaveLength(1);
    });

    test('see at once what another process freed, and change nothing of what it changed', async () => {
      const [one, two] = [await process(), await process()];
      const record = await taken(one, 'a', { address: '10.0.0.5' });
      const change = { holderId: firstHolder(record).id };
      const bound = valueOf(await two.bind(binding(record, holderOf('a', { purpose: 'two' }), change)));
      expect(bound.version).toBeGreaterThan(record.version);
      expect(refusalOf(await one.bind(binding(record, holderOf('b'), change))).code).toBe('store/conflict');
      expect(refusalOf(await one.release(releasing(record))).code).toBe('store/conflict');
      await two.release(releasing(bound));
      const again = await taken(one, 'b', { address: '10.0.0.5' });
      expect(again.version).toBeGreaterThan(bound.version);
    });

    test.each([true, false])('give a space whose quarantine is over to one of two (nested: %s)', async (nested) => {
      const stores = [await process({ nested }), await process({ nested })];
      const record = await taken(stores[0]!, 'a', { address: '10.0.0.5' });
      const left = valueOf(await stores[0]!.release(releasing(record, { quarantineMs: 60_000 })))!;
      const early = await stores[1]!.take(taking('x', { address: '10.0.0.5' }));
      expect(refusalOf(early)).toMatchObject({ code: 'address/quarantined', retryAfterSeconds: 60 });
      server().clock.advance(60_000);
      const outcomes = await Promise.all(
        stores.map((store, i) => store.take(taking(`t${i}`, { address: '10.0.0.5' }))),
      );
      expect(outcomes.filter(({ ok }) => ok)).toHaveLength(1);
      const [after] = await claims();
      expect(after).toMatchObject({ state: 'held', length: 32 });
      expect(after!.version).toBeGreaterThan(left.version);
    });

    test('tell each other by the watch', async () => {
      const [one, two] = [await process(), await process()];
      const told = new Promise((resolve) => two.watch(resolve));
      await taken(one, 'a');
      expect(await told).toMatchObject({ kind: 'taken', network: 'default', pool: 'z', length: 32 });
      expect((await two.list({ by: 'uid', uid: 'uid of a' })).map(addressText)).toEqual(['10.0.0.0']);
    });

    test('exchange holders once', async () => {
      const stores = [await process(), await process()];
      const [a, b] = [await taken(stores[0]!, 'a'), await taken(stores[0]!, 'b')];
      const outcomes = await Promise.all(stores.map((store) => store.exchange([move(a, b), move(b, a)])));
      expect(outcomes.filter(({ ok }) => ok)).toHaveLength(1);
      expect((await claims()).map((record) => firstHolder(record).owner.name)).toEqual(['b', 'a']);
    });
  });

  describe('a process whose watch is late', () => {
    const gated = async (): Promise<{ store: ClaimObjectStore; client: GatedClient }> => {
      const client = new GatedClient(server().client);
      return { store: await process({ client }), client };
    };
    const settledTable = async (count: number): Promise<void> => {
      while ((await decisions()) !== count) await new Promise((resolve) => setTimeout(resolve, 5));
    };

    test('decides nothing before it knows the claims of the others', async () => {
      const { store, client } = await gated();
      const other = await process();
      await taken(store, 'first');
      client.watches.shut();
      await taken(other, 'out', { address: '10.1.0.0/24' });
      let isAnswered = false;
      const wish = store.take(taking('in', { address: '10.1.0.7' })).finally(() => (isAnswered = true));
      await new Promise((resolve) => setTimeout(resolve, 60));
      expect(isAnswered).toBe(false);
      client.watches.open();
      expect(refusalOf(await wish).code).toBe('address/held');
    });

    test('does so also where an older claim is told after a newer one of its own', async () => {
      const { store, client } = await gated();
      const other = await gated();
      client.watches.shut();
      other.client.writes.shut();
      // the table is created with the decision, so its first replacement takes the decision out
      other.client.gated = ({ method, path }) => path === TABLE && method === 'PUT';
      const outer = taken(other.store, 'out', { address: '10.1.0.0/24' });
      await settledTable(1);
      while ((await claims()).length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
      await taken(store, 'mine', { address: '10.2.0.1' });
      other.client.writes.open();
      await outer;
      const wish = store.take(taking('in', { address: '10.1.0.7' }));
      await new Promise((resolve) => setTimeout(resolve, 60));
      client.watches.open();
      expect(refusalOf(await wish).code).toBe('address/held');
      const all = await claims();
      expect([all.length, overlaps(all)]).toEqual([2, 0]);
    });

    test('knows what another process freed as soon as a caller wishes for it', async () => {
      const { store, client } = await gated();
      const other = await process();
      const record = await taken(other, 'a', { address: '10.0.0.5' });
      await taken(store, 'b');
      client.watches.shut();
      await other.release(releasing(record));
      expect(addressText(await taken(store, 'c', { address: '10.0.0.5' }))).toBe('10.0.0.5');
      client.watches.open();
    });

    test('gives no space to others while a claim of it is still being deleted', async () => {
      const { store, client } = await gated();
      const other = await process();
      const outer = await taken(store, 'out', { address: '10.1.0.0/24' });
      client.writes.shut();
      client.gated = ({ method }) => method === 'DELETE';
      const release = store.release(releasing(outer));
      await settledTable(1);
      expect(refusalOf(await other.take(taking('in', { address: '10.1.0.7' })))).toMatchObject({
        code: 'store/conflict',
        retryAfterSeconds: 1,
      });
      client.writes.open();
      await release;
      expect(addressText(await taken(other, 'in', { address: '10.1.0.7' }))).toBe('10.1.0.7');
    });
  });

  describe('a process that dies', () => {
    const late = 30_000;

    test('between table and claim keeps the space, and another one finishes what it decided', async () => {
      const { store, client } = await mortal();
      client.dieBefore(toClaims('POST'));
      await expect(store.take(taking('a', { address: '10.1.0.0/24' }))).rejects.toMatchObject({
        code: 'cluster/unavailable',
      });
      expect([await claims(), await decisions()]).toEqual([[], 1]);
      const other = await process();
      const refusal = refusalOf(await other.take(taking('b', { address: '10.1.0.7' })));
      expect(refusal).toMatchObject({ code: 'address/held' });
      expect(refusal.message).toContain('"a/a"');
      expect(refusalOf(await other.take(taking('a'))).code).toBe('store/conflict');
      server().clock.advance(late);
      expect(await takenOf(other, taking('a'))).toMatchObject({ created: false, record: { length: 24 } });
      expect([(await claims()).length, await decisions()]).toEqual([1, 0]);
    });

    test('is followed by a restart that finishes what it decided', async () => {
      const { store, client } = await mortal();
      await taken(store, 'x', { address: '10.0.0.0' });
      client.dieBefore(toClaims('POST', 2));
      await expect(store.take(takingBoth('a'))).rejects.toMatchObject({ code: 'cluster/unavailable' });
      expect([(await claims()).length, await decisions()]).toEqual([2, 1]);
      server().clock.advance(late);
      const restarted = await process();
      expect([(await claims()).length, await decisions()]).toEqual([3, 0]);
      const both = valueOf(await restarted.take(takingBoth('a')));
      expect(both.map(({ created }) => created)).toEqual([false, false]);
    });

    test('after its claims are written leaves nothing to do', async () => {
      const { store, client } = await mortal();
      await taken(store, 'x');
      let writes = 0;
      client.dieBefore(({ method, path }) => method === 'PUT' && path === TABLE && (writes += 1) === 2);
      expect(addressText(await taken(store, 'a'))).toBe('10.0.0.1');
      expect(await decisions()).toBe(1);
      const before = await claims();
      server().clock.advance(late);
      await process();
      expect([await claims(), await decisions()]).toEqual([before, 0]);
    });

    test('in the middle of an exchange is finished by another one', async () => {
      const { store, client } = await mortal();
      const [a, b] = [await taken(store, 'a'), await taken(store, 'b')];
      client.dieBefore(toClaims('PUT', 2));
      await expect(store.exchange([move(a, b), move(b, a)])).rejects.toMatchObject({ code: 'cluster/unavailable' });
      expect((await claims()).map((record) => firstHolder(record).owner.name)).toEqual(['a', 'a']);
      const other = await process();
      expect(refusalOf(await other.release(releasing(a))).code).toBe('store/conflict');
      server().clock.advance(late);
      expect(refusalOf(await other.release(releasing(a))).code).toBe('store/conflict');
      expect((await claims()).map((record) => firstHolder(record).owner.name)).toEqual(['b', 'a']);
      expect((await claims()).map((record) => firstHolder(record).id)).toEqual([firstHolder(b).id, firstHolder(a).id]);
    });

    test('and lives on finishes itself what an answer was lost of', async () => {
      const { store, client } = await mortal();
      client.dieBefore(toClaims('POST'));
      await expect(store.take(taking('a'))).rejects.toMatchObject({ code: 'cluster/unavailable' });
      client.revive();
      expect(await takenOf(store, taking('a'))).toMatchObject({ created: false });
      expect([(await claims()).length, await decisions()]).toEqual([1, 0]);
    });

    test('after its claim is written does not hide that claim from a process whose watch is late', async () => {
      const { store, client } = await mortal();
      const gate = new GatedClient(server().client);
      const other = await process({ client: gate });
      gate.watches.shut();
      let tables = 0;
      client.dieBefore(({ method, path }) => path === TABLE && method === 'PUT' && (tables += 1) === 1);
      await taken(store, 'out', { address: '10.1.0.0/24' });
      client.revive();
      await taken(store, 'other', { address: '10.3.0.1' });
      const wish = other.take(taking('in', { address: '10.1.0.7' }));
      await new Promise((resolve) => setTimeout(resolve, 60));
      gate.watches.open();
      expect(refusalOf(await wish).code).toBe('address/held');
    });

    test('over the end of a quarantine under another name is finished', async () => {
      const { store, client } = await mortal();
      const inner = await taken(store, 'in', { address: '10.1.0.5' });
      await store.release(releasing(inner, { quarantineMs: 1_000 }));
      server().clock.advance(1_000);
      client.dieBefore(toClaims('POST'));
      await expect(store.take(taking('out', { address: '10.1.0.0/24' }))).rejects.toMatchObject({
        code: 'cluster/unavailable',
      });
      expect(await claims()).toEqual([]);
      server().clock.advance(late);
      await process();
      expect((await claims()).map(addressText)).toEqual(['10.1.0.0/24']);
    });
  });

  describe('objects that others write', () => {
    const foreign = (address: string): JsonMap => ({
      apiVersion: 'ipam.vitistack.io/v1alpha1',
      kind: 'AddressClaim',
      metadata: { name: `default.${address}` },
      spec: { network: 'default', address, door: 'grpc', state: 'bound', key: 'by hand' },
    });
    const make = (address: string): Promise<ApiAnswer> =>
      server().client.request({ method: 'POST', path: CLAIMS, body: foreign(address) });

    test.each([true, false])('are occupied, and known by their own fields alone (nested: %s)', async (nested) => {
      await make('10.0.0.0');
      const store = await process({ nested });
      const refusal = refusalOf(await store.take(taking('a', { address: '10.0.0.0' })));
      expect(refusal.code).toBe('address/held');
      expect(addressText(await taken(store, 'a'))).toBe('10.0.0.1');
      const record = (await store.get(at('10.0.0.0')))!;
      expect(firstHolder(record)).toMatchObject({ state: 'bound', key: 'by hand' });
      const { id: holderId } = firstHolder(record);
      const bound = valueOf(await store.bind(binding(record, holderOf('b'), { holderId })));
      expect(firstHolder(bound)).toMatchObject({ id: holderId, owner: { name: 'b', kind: 'Service' } });
      expect(await read(`${CLAIMS}/default.10.0.0.0`)).toMatchObject({ spec: { door: 'grpc' } });
    });

    test.each([true, false])('that come between decision and write undo the decision (nested: %s)', async (nested) => {
      let others = 0;
      const client = new MortalClient(server().client);
      const store = await process({ nested, client: slipping(client, () => (others += 1)) });
      const both = valueOf(await store.take(takingBoth('a', { space: spaceOf('10.0.0.0/30', '2001:db8::/126') })));
      expect(both.map(({ record }) => addressText(record))).toEqual(['10.0.0.0', '2001:db8::1']);
      expect([others, (await claims()).length, await decisions()]).toEqual([1, 3, 0]);
    });

    // Another writer takes the IPv6 address just before the first write of it.
    function slipping(client: ApiClient, slipped: () => number): ApiClient {
      const name = 'default.2001.0db8.0000.0000.0000.0000.0000.0000';
      return {
        request: async (request) => {
          const object = mapOf(request.body);
          const isFirst = request.method === 'POST' && mapOf(object['metadata'])['name'] === name;
          if (isFirst && slipped() === 1) {
            const body = { ...foreign('2001:db8::'), metadata: { name } };
            await server().client.request({ method: 'POST', path: CLAIMS, body });
          }
          return client.request(request);
        },
        stream: (request) => client.stream(request),
        close: () => client.close(),
      };
    }

    test('that keep a deleted claim alive by a finalizer keep its space', async () => {
      const store = await process();
      const record = await taken(store, 'a', { address: '10.0.0.5' });
      const path = `${CLAIMS}/default.10.0.0.5`;
      const finalize = async (finalizers: readonly string[]): Promise<ApiAnswer> =>
        server().client.request({
          method: 'PATCH',
          path,
          body: { metadata: { finalizers, ...versionOf(await read(path)) } },
          contentType: 'application/merge-patch+json',
        });
      await finalize(['a.example/b']);
      await store.release(releasing((await store.get(placeOf(record)))!));
      expect(refusalOf(await store.take(taking('b', { address: '10.0.0.5' }))).code).toBe('address/held');
      await finalize([]);
      expect(addressText(await taken(store, 'b', { address: '10.0.0.5' }))).toBe('10.0.0.5');
    });

    test('keep labels, annotations and finalizers when a claim changes', async () => {
      const store = await process();
      const record = await taken(store, 'a', { holder: leaseOf('a', 60_000) });
      const path = `${CLAIMS}/default.10.0.0.0`;
      const metadata = { labels: { site: 'edge' }, annotations: { note: 'x' }, finalizers: ['a.example/b'] };
      const body = { metadata: { ...metadata, ...versionOf(await read(path)) }, spec: { labels: { tier: 'gold' } } };
      await server().client.request({ method: 'PATCH', path, body, contentType: 'application/merge-patch+json' });
      const now = (await store.get(placeOf(record)))!;
      expect(now.version).toBeGreaterThan(record.version);
      valueOf(await store.bind(binding(now, holderOf('a'), { holderId: firstHolder(now).id })));
      expect(await read(path)).toMatchObject({ metadata, spec: { labels: { tier: 'gold' }, state: 'bound' } });
      await server().client.request({
        method: 'PATCH',
        path,
        body: { metadata: { finalizers: [], ...versionOf(await read(path)) } },
        contentType: 'application/merge-patch+json',
      });
    });

    function versionOf(object: JsonMap | undefined): JsonMap {
      const { uid, resourceVersion } = mapOf(object?.['metadata']);
      return { uid, resourceVersion };
    }
  });
}

function move(from: AddressRecord, to: AddressRecord): Move {
  const { id: holderId } = firstHolder(from);
  return { from: { ...placeOf(from), version: from.version, holderId }, to: placeOf(to) };
}

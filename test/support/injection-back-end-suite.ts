import type { Granted, InjectionBackEnd, InjectionRequest } from '../../operator/cli/inject/back-ends/back-end';
import type { Outcome } from '../../operator/errors/outcome';
import { NEPHIO } from '../../operator/contract/nephio';

/** A back end that gives addresses of 10.0.1.0/24 for network `net1` of instance `vpc-1`, in namespace `default`. */
export interface BackEndUnderTest {
  readonly backEnd: InjectionBackEnd;
  close(): Promise<void> | void;
}

/** Package of the requests, unless they are told another one. */
export const PACKAGE = { id: 'a1', name: 'upf' };
const OTHER = { id: 'b2', name: 'smf' };

/** A request for an address of net1. */
export function requestFor(name: string, change: Partial<InjectionRequest> = {}): InjectionRequest {
  const matchLabels = { [NEPHIO.networkInstance]: 'vpc-1', [NEPHIO.networkName]: 'net1' };
  const spec = { kind: 'network', selector: { matchLabels } };
  return { namespace: 'default', name, owner: PACKAGE, labels: {}, ...change, spec: { ...spec, ...change.spec } };
}

const prefixOf = (outcome: Outcome<Granted>): string => (outcome.ok ? outcome.value.prefix : outcome.refusal.code);

/** Facts of every back end of the injector. */
export function injectionBackEndSuite(name: string, open: () => Promise<BackEndUnderTest>): void {
  describe(`${name}, as a back end of the injector`, () => {
    let world: BackEndUnderTest;
    const take = (...request: Parameters<typeof requestFor>) => world.backEnd.take(requestFor(...request));

    beforeEach(async () => {
      world = await open();
    });
    afterEach(async () => {
      await world.backEnd.close();
      await world.close();
    });

    test('gives an address, and the same one to the same request', async () => {
      const given = prefixOf(await take('n3'));
      expect(given).toMatch(/^10\.0\.1\.\d+\/32$/u);
      expect(prefixOf(await take('n3'))).toBe(given);
    });

    test('gives no address twice, however many requests come at once', async () => {
      const names = Array.from({ length: 20 }, (_, index) => `n${String(index)}`);
      const given = (await Promise.all(names.map((each) => take(each)))).map(prefixOf);
      expect(new Set(given).size).toBe(names.length);
      expect(given.filter((each) => !each.endsWith('/32'))).toEqual([]);
    });

    test('gives the wished address, and refuses it to another request', async () => {
      expect(prefixOf(await take('a', { spec: { prefix: '10.0.1.50/24' } }))).toMatch(/^10\.0\.1\.50\//u);
      const second = await take('b', { spec: { prefix: '10.0.1.50/24' } });
      expect(second.ok).toBe(false);
    });

    test('never gives two packages one address under one name', async () => {
      const given = prefixOf(await take('n3'));
      expect(prefixOf(await take('n3', { owner: OTHER }))).not.toBe(given);
      expect(prefixOf(await take('n3'))).toBe(given);
    });

    test('refuses as a value what no place fits', async () => {
      const matchLabels = { [NEPHIO.networkInstance]: 'vpc-1', [NEPHIO.networkName]: 'none' };
      const refused = await take('n3', { spec: { selector: { matchLabels } } });
      expect(refused).toMatchObject({ ok: false, refusal: { message: expect.stringMatching(/./u) as string } });
    });

    test('releases what the package took, once and again', async () => {
      const wish = { spec: { prefix: '10.0.1.60/24' } };
      await take('n3', wish);
      expect(await world.backEnd.release(requestFor('n3'))).toEqual({ ok: true, value: true });
      const again = await world.backEnd.release(requestFor('n3'));
      expect(again.ok).toBe(true);
      expect(prefixOf(await take('other', wish))).toMatch(/^10\.0\.1\.60\//u);
    });

    test('releases nothing of another package', async () => {
      const given = prefixOf(await take('n3', { spec: { prefix: '10.0.1.70/24' } }));
      const released = await world.backEnd.release(requestFor('n3', { owner: OTHER }));
      expect(released.ok).toBe(true);
      expect((await take('b', { spec: { prefix: '10.0.1.70/24' } })).ok).toBe(false);
      expect(prefixOf(await take('n3', { spec: { prefix: '10.0.1.70/24' } }))).toBe(given);
    });
  });
}

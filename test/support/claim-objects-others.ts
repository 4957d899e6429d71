import type { ApiAnswer, ApiClient } from '../../operator/cluster/api/api-client';
import { mapOf, type JsonMap } from '../../operator/contract/loose-json';
import { valueOf } from '../../operator/errors/ipam-error';
import { CLAIMS, MortalClient, type ClaimScene } from './claim-objects-scene';
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
  taking,
  takingBoth,
} from './claim-requests';

/**
 * Claims beside objects that other programs write.
 *
 * @param scene - processes over one server
 */
export function describeOthers(scene: ClaimScene): void {
  describe('objects that others write', () => {
    const foreign = (address: string): JsonMap => ({
      apiVersion: 'ipam.vitistack.io/v1alpha1',
      kind: 'AddressClaim',
      metadata: { name: `default.${address}` },
      spec: { network: 'default', address, door: 'grpc', state: 'bound', key: 'by hand' },
    });
    const make = (address: string): Promise<ApiAnswer> =>
      scene.server.client.request({ method: 'POST', path: CLAIMS, body: foreign(address) });

    test.each([true, false])('are occupied, and known by their own fields alone (nested: %s)', async (nested) => {
      await make('10.0.0.0');
      const store = await scene.process({ nested });
      const refusal = refusalOf(await store.take(taking('a', { address: '10.0.0.0' })));
      expect(refusal.code).toBe('address/held');
      expect(addressText(await taken(store, 'a'))).toBe('10.0.0.1');
      const record = (await store.get(at('10.0.0.0')))!;
      expect(firstHolder(record)).toMatchObject({ state: 'bound', key: 'by hand' });
      const { id: holderId } = firstHolder(record);
      const bound = valueOf(await store.bind(binding(record, holderOf('b'), { holderId })));
      expect(firstHolder(bound)).toMatchObject({ id: holderId, owner: { name: 'b', kind: 'Service' } });
      expect(await scene.read(`${CLAIMS}/default.10.0.0.0`)).toMatchObject({ spec: { door: 'grpc' } });
    });

    test.each([true, false])('that come between decision and write undo the decision (nested: %s)', async (nested) => {
      let others = 0;
      const client = new MortalClient(scene.server.client);
      const store = await scene.process({ nested, client: slipping(client, () => (others += 1)) });
      const both = valueOf(await store.take(takingBoth('a', { space: spaceOf('10.0.0.0/30', '2001:db8::/126') })));
      expect(both.map(({ record }) => addressText(record))).toEqual(['10.0.0.0', '2001:db8::1']);
      expect([others, (await scene.claims()).length, await scene.decisions()]).toEqual([1, 3, 0]);
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
            await scene.server.client.request({ method: 'POST', path: CLAIMS, body });
          }
          return client.request(request);
        },
        stream: (request) => client.stream(request),
        close: () => client.close(),
      };
    }

    test('that keep a deleted claim alive by a finalizer keep its space', async () => {
      const store = await scene.process();
      const record = await taken(store, 'a', { address: '10.0.0.5' });
      const path = `${CLAIMS}/default.10.0.0.5`;
      const finalize = async (finalizers: readonly string[]): Promise<ApiAnswer> =>
        scene.server.client.request({
          method: 'PATCH',
          path,
          body: { metadata: { finalizers, ...versionOf(await scene.read(path)) } },
          contentType: 'application/merge-patch+json',
        });
      await finalize(['a.example/b']);
      await store.release(releasing((await store.get(placeOf(record)))!));
      expect(refusalOf(await store.take(taking('b', { address: '10.0.0.5' }))).code).toBe('address/held');
      await finalize([]);
      expect(addressText(await taken(store, 'b', { address: '10.0.0.5' }))).toBe('10.0.0.5');
    });

    test('keep labels, annotations and finalizers when a claim changes', async () => {
      const store = await scene.process();
      const record = await taken(store, 'a', { holder: leaseOf('a', 60_000) });
      const path = `${CLAIMS}/default.10.0.0.0`;
      const metadata = { labels: { site: 'edge' }, annotations: { note: 'x' }, finalizers: ['a.example/b'] };
      const body = {
        metadata: { ...metadata, ...versionOf(await scene.read(path)) },
        spec: { labels: { tier: 'gold' } },
      };
      await scene.server.client.request({ method: 'PATCH', path, body, contentType: 'application/merge-patch+json' });
      const now = (await store.get(placeOf(record)))!;
      expect(now.version).toBeGreaterThan(record.version);
      valueOf(await store.bind(binding(now, holderOf('a'), { holderId: firstHolder(now).id })));
      expect(await scene.read(path)).toMatchObject({ metadata, spec: { labels: { tier: 'gold' }, state: 'bound' } });
      await scene.server.client.request({
        method: 'PATCH',
        path,
        body: { metadata: { finalizers: [], ...versionOf(await scene.read(path)) } },
        contentType: 'application/merge-patch+json',
      });
    });

    function versionOf(object: JsonMap | undefined): JsonMap {
      const { uid, resourceVersion } = mapOf(object?.['metadata']);
      return { uid, resourceVersion };
    }
  });
}

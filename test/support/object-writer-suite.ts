import { isMap, metadataOf, textOf, type JsonMap } from '../../operator/contract/loose-json';
import { ADDRESS_CLAIM } from '../../operator/contract/kinds/address-claim';
import { valueOf } from '../../operator/errors/ipam-error';
import type { ObjectKey } from '../../operator/ports/object-feed';
import type { ObjectWriter } from '../../operator/ports/object-writer';

/** The kind that the suite writes: AddressClaims, whose schema the server knows. */
export const WRITTEN_KIND = {
  apiVersion: `${ADDRESS_CLAIM.group}/${ADDRESS_CLAIM.version}`,
  kind: ADDRESS_CLAIM.kind,
  resource: ADDRESS_CLAIM.plural,
  custom: true,
} as const;

const GONE = { ok: false, refusal: { code: 'claim/not-found' } };
const CONFLICT = { ok: false, refusal: { code: 'store/conflict' } };

const claim = (address: string, metadata: JsonMap = {}): JsonMap => ({
  metadata: { name: `vpc.${address}`, ...metadata },
  spec: { network: 'vpc', address, door: 'networks', state: 'bound', key: 'k' },
});

const condition = (type: string): JsonMap => ({
  type,
  status: 'True',
  reason: 'Ready',
  message: '',
  lastTransitionTime: '2026-01-01T00:00:00Z',
});

/** Where an object is, as the server has it. */
function keyOf(object: JsonMap): ObjectKey {
  const { name, uid } = metadataOf(object);
  return { namespace: '', name: textOf(name), uid: textOf(uid) };
}

/** The object with another pool. */
function withPool(object: JsonMap, pool: string): JsonMap {
  const { spec } = object;
  return { ...object, spec: { ...(isMap(spec) ? spec : {}), pool } };
}

/**
 * Contract of `ports/object-writer`.
 *
 * @param writer - over a server with the CRD of AddressClaims and none of them
 */
export function objectWriterSuite(writer: () => ObjectWriter): void {
  const made = async (address: string, metadata: JsonMap = {}): Promise<JsonMap> =>
    valueOf(await writer().create(claim(address, metadata))).object;
  const stored = async (object: JsonMap): Promise<JsonMap | undefined> => (await writer().read(keyOf(object))).object;
  const remade = async (object: JsonMap, address: string): Promise<JsonMap> => {
    await writer().delete(keyOf(object));
    return made(address);
  };
  const versionOf = (object: JsonMap): string => textOf(metadataOf(object)['resourceVersion']);

  test('creates an object once, and tells when', async () => {
    const first = valueOf(await writer().create(claim('10.0.1.1')));
    expect(first.object).toMatchObject({ kind: 'AddressClaim', metadata: { name: 'vpc.10.0.1.1' } });
    expect(first.serverTimeMs % 1_000).toBe(0);
    expect(await writer().create(claim('10.0.1.1'))).toMatchObject({
      refusal: { code: 'store/conflict', message: 'AddressClaim "vpc.10.0.1.1" exists already' },
    });
    expect(await stored(first.object)).toEqual(first.object);
  });

  test('tells the time also of an object that is not there', async () => {
    const { object, serverTimeMs } = await writer().read({ namespace: '', name: 'vpc.10.0.1.99' });
    expect([object, serverTimeMs % 1_000]).toEqual([undefined, 0]);
  });

  test('hands on why the schema refuses an object', async () => {
    const before = await made('10.0.1.2');
    const wrong = { ...claim('10.0.1.3'), spec: { network: 'vpc', address: 'ten' } };
    expect(await writer().create(wrong)).toMatchObject({ refusal: { code: 'cluster/refused' } });
    const changed = { ...before, spec: { ...claim('10.0.1.9')['spec']! } };
    expect(await writer().replace(changed)).toMatchObject({
      refusal: {
        code: 'cluster/refused',
        message: expect.stringMatching(/^AddressClaim "vpc.10.0.1.2" was not written: /u) as string,
      },
    });
  });

  test('replaces the version that it was made from, and no other one', async () => {
    const before = await made('10.0.2.1');
    const after = valueOf(await writer().replace(withPool(before, 'a'))).object;
    expect(after).toMatchObject({ spec: { pool: 'a' } });
    expect(await writer().replace(withPool(before, 'b'))).toMatchObject(CONFLICT);
    expect(await stored(before)).toEqual(after);
  });

  test('writes nothing to an object that is gone or was made anew under its name', async () => {
    const gone = await made('10.0.3.1');
    await writer().delete(keyOf(gone));
    const old = await made('10.0.3.2');
    const anew = await remade(old, '10.0.3.2');
    for (const object of [gone, old]) {
      expect(await writer().replace(withPool(object, 'a'))).toMatchObject(GONE);
      expect(await writer().patchStatus(keyOf(object), { status: { observedGeneration: 1 } })).toMatchObject(GONE);
      expect(await writer().applyStatus(keyOf(object), { observedGeneration: 1 })).toMatchObject(GONE);
      expect(await writer().applyStatus(keyOf(object), undefined)).toMatchObject(GONE);
      expect(await writer().removeFinalizer(keyOf(object), 'a/b')).toMatchObject({ ok: true });
      expect(await writer().delete(keyOf(object))).toMatchObject({ ok: true });
    }
    expect([await stored(gone), await stored(anew)]).toEqual([undefined, anew]);
  });

  test('deletes the version that it is told, and no other one', async () => {
    const before = await made('10.0.4.1');
    const resourceVersion = versionOf(before);
    const after = valueOf(await writer().replace(withPool(before, 'a'))).object;
    expect(await writer().delete(keyOf(before), { resourceVersion })).toMatchObject(CONFLICT);
    expect(await stored(after)).toEqual(after);
    expect(await writer().delete(keyOf(before), { resourceVersion: versionOf(after) })).toMatchObject({ ok: true });
    expect(await stored(after)).toBeUndefined();
  });

  test('merges a patch over the version that it was made from, and over no other one', async () => {
    const before = await made('10.0.4.2', { labels: { stays: 'here', goes: 'away' } });
    const guard = { resourceVersion: versionOf(before) };
    const patch = { metadata: { labels: { goes: null, comes: 'new' } }, spec: { pool: 'a' } };
    const after = valueOf(await writer().patch(keyOf(before), patch, guard));
    expect(after).toMatchObject({ metadata: { labels: { stays: 'here', comes: 'new' } }, spec: { pool: 'a' } });
    expect(metadataOf(after)['labels']).not.toHaveProperty('goes');
    expect(await stored(before)).toEqual(after);

    expect(await writer().patch(keyOf(before), { spec: { pool: 'b' } }, guard)).toMatchObject(CONFLICT);
    const now = { resourceVersion: versionOf(after) };
    expect(await writer().patch({ ...keyOf(before), uid: 'another' }, { spec: { pool: 'b' } }, now)).toMatchObject(
      GONE,
    );
    expect(await writer().patch(keyOf(before), { spec: { address: 'ten' } }, now)).toMatchObject({
      refusal: { code: 'cluster/refused' },
    });
    expect(await stored(before)).toEqual(after);
  });

  test('patches the status, guarded by a version where it is told one', async () => {
    const before = await made('10.0.5.1');
    const resourceVersion = versionOf(before);
    const patch = (observedGeneration: number): JsonMap => ({ status: { observedGeneration } });
    expect(await writer().patchStatus(keyOf(before), patch(1), { resourceVersion })).toEqual({
      ok: true,
      value: undefined,
    });
    expect(await writer().patchStatus(keyOf(before), patch(2), { resourceVersion })).toMatchObject(CONFLICT);
    expect(await stored(before)).toMatchObject({ status: { observedGeneration: 1 } });
    expect(await writer().patchStatus(keyOf(before), patch(3))).toMatchObject({ ok: true });
    expect(await stored(before)).toMatchObject({ status: { observedGeneration: 3 }, spec: before['spec'] });
  });

  test('applies its conditions, and takes away those that it names no longer', async () => {
    const before = await made('10.0.6.1');
    await writer().applyStatus(keyOf(before), { conditions: [condition('Ready'), condition('Synced')] });
    await writer().applyStatus(keyOf(before), { conditions: [condition('Ready')] });
    expect(await stored(before)).toMatchObject({ status: { conditions: [condition('Ready')] } });
  });

  test('applies a status over the version that it is told, and over no other one', async () => {
    const before = await made('10.0.6.2');
    const resourceVersion = versionOf(before);
    const apply = (type: string) =>
      writer().applyStatus(keyOf(before), { conditions: [condition(type)] }, { resourceVersion });
    expect(await apply('Ready')).toEqual({ ok: true, value: undefined });
    expect(await apply('Synced')).toMatchObject(CONFLICT);
    expect(await stored(before)).toMatchObject({ status: { conditions: [condition('Ready')] } });
  });

  test('adds a finalizer once, beside others', async () => {
    const before = await made('10.0.7.2', { finalizers: ['other.example.com/b'] });
    expect(await writer().addFinalizer(keyOf(before), 'new.example.com/a')).toMatchObject({ ok: true });
    const after = await stored(before);
    expect(metadataOf(after)['finalizers']).toEqual(['other.example.com/b', 'new.example.com/a']);
    expect(await writer().addFinalizer(keyOf(before), 'new.example.com/a')).toMatchObject({ ok: true });
    expect(await stored(before)).toEqual(after);
    const gone = { ...keyOf(before), uid: 'another' };
    expect(await writer().addFinalizer(gone, 'x.example.com/a')).toMatchObject(GONE);
  });

  test('adds an owner once, beside others', async () => {
    const before = await made('10.0.7.6');
    const owner = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', name, uid: `uid-${name}` });
    for (const name of ['a', 'b']) valueOf(await writer().addOwner(keyOf(before), owner(name)));
    const after = await stored(before);
    expect(metadataOf(after)['ownerReferences']).toEqual([owner('a'), owner('b')]);
    expect(await writer().addOwner(keyOf(before), owner('a'), after)).toMatchObject({ ok: true });
    expect(await stored(before)).toEqual(after);
    expect(await writer().addOwner({ ...keyOf(before), uid: 'another' }, owner('c'))).toMatchObject(GONE);
  });

  test('tells the version that has the finalizer, which the next write is guarded by', async () => {
    const before = await made('10.0.7.3');
    const added = valueOf(await writer().addFinalizer(keyOf(before), 'new.example.com/a'));
    expect(added.resourceVersion).toBe(versionOf((await stored(before))!));
    const status = { conditions: [condition('Ready')] };
    expect(await writer().applyStatus(keyOf(before), status, added)).toMatchObject({ ok: true });
    expect(await writer().applyStatus(keyOf(before), { conditions: [] }, added)).toMatchObject(CONFLICT);
  });

  test('adds a finalizer to what a watch told, and reads again what is older', async () => {
    const [known, older] = [await made('10.0.7.4'), await made('10.0.7.5')];
    valueOf(await writer().replace(withPool(older, 'a')));
    for (const object of [known, older]) {
      const added = valueOf(await writer().addFinalizer(keyOf(object), 'new.example.com/a', object));
      const after = await stored(object);
      expect(metadataOf(after)).toMatchObject({ finalizers: ['new.example.com/a'], ...added });
      expect(await writer().addFinalizer(keyOf(object), 'new.example.com/a', after)).toEqual({
        ok: true,
        value: added,
      });
      const other = { ...object, metadata: { ...metadataOf(object), uid: 'another' } };
      expect(await writer().addFinalizer({ ...keyOf(object), uid: 'another' }, 'x.example.com/a', other)).toMatchObject(
        GONE,
      );
    }
    expect(await stored(older)).toMatchObject({ spec: { pool: 'a' } });
  });

  test('takes one finalizer off, and leaves others', async () => {
    const before = await made('10.0.7.1', { finalizers: ['old.example.com/a', 'other.example.com/b'] });
    await writer().removeFinalizer(keyOf(before), 'old.example.com/a');
    const after = await stored(before);
    expect(metadataOf(after)['finalizers']).toEqual(['other.example.com/b']);
    await writer().removeFinalizer(keyOf(before), 'old.example.com/a');
    expect(await stored(before)).toEqual(after);
    await writer().delete(keyOf(before));
    expect(await stored(before)).toBeDefined();
    await writer().removeFinalizer(keyOf(before), 'other.example.com/b');
    expect(await stored(before)).toBeUndefined();
  });
}

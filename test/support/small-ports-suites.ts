import { valueOf } from '../../operator/errors/ipam-error';
import { binding, firstHolder, holderOf, ownerOf, placeOf, releasing, taken } from './claim-requests';
import { subjectOf } from './claims-suite';
import type { OpenStore } from './store-under-test';

/**
 * Everything that `ports/cluster-reports` promises.
 *
 * @param open - opens an empty store
 */
export function reportsSuite(open: OpenStore): void {
  const subject = subjectOf(open);

  test('counts holders, and keeps the last report and name of each cluster', async () => {
    const { store, clock } = subject;
    const nowMs = clock.nowMs();
    await taken(store, 'a');
    await taken(store, 'far', { holder: holderOf('far', { owner: ownerOf('far', { cluster: 'c2' }) }) });
    await taken(store, 's', { holder: holderOf('s', { owner: ownerOf('s', { cluster: '', namespaceUid: '' }) }) });
    await store.reportCluster({ cluster: 'c2', name: 'blue' });
    await store.reportCluster({ cluster: 'c3', name: 'red' });
    await clock.advance(1);
    await store.reportCluster({ cluster: 'c2', name: '' });
    expect(await store.clusters()).toEqual([
      { cluster: 'c1', name: '', claims: 1 },
      { cluster: 'c2', name: 'blue', claims: 1, reportedAtMs: nowMs + 1 },
      { cluster: 'c3', name: 'red', claims: 0, reportedAtMs: nowMs },
    ]);
  });
}

/**
 * Everything that `ports/key-mark` promises.
 *
 * @param open - opens an empty store
 */
export function keyMarkSuite(open: OpenStore): void {
  const subject = subjectOf(open);

  test('counts live records by the key of their hash', async () => {
    const record = await taken(subject.store, 'a', { secret: { hash: 'k1:aa', scope: 'shared' } });
    await taken(subject.store, 'b', { secret: { hash: 'k1:bb', scope: 'shared' } });
    await taken(subject.store, 'without');
    const secret = { hash: 'k2:bb', scope: 'shared', sealed: 'k2:text' } as const;
    const { id: holderId } = firstHolder(record);
    const bound = valueOf(await subject.store.bind(binding(record, holderOf('a'), { holderId, secret })));
    expect(bound.secret).toEqual(secret);
    expect((await subject.store.get(placeOf(record)))?.secret).toEqual(secret);
    expect(await subject.store.keyUse()).toEqual([
      { keyId: 'k1', records: 1 },
      { keyId: 'k2', records: 1 },
    ]);
  });

  test('replaces the fingerprint that is there and no other', async () => {
    expect(await subject.store.replaceKeyFingerprint('', 'one')).toBe(true);
    await taken(subject.store, 'a');
    expect(await subject.store.replaceKeyFingerprint('other', 'two')).toBe(false);
    expect(await subject.store.replaceKeyFingerprint('one', 'one two')).toBe(true);
    expect(await subject.store.keyFingerprint()).toBe('one two');
  });

  test('keeps the first fingerprint while an address is held', async () => {
    expect(await subject.store.keyFingerprint('one')).toBe('one');
    const record = await taken(subject.store, 'a');
    expect(await subject.store.keyFingerprint('two')).toBe('one');
    await subject.store.release(releasing(record));
    expect(await subject.store.keyFingerprint('two')).toBe('two');
  });

  test('has an empty fingerprint where claims came before any key', async () => {
    await taken(subject.store, 'a');
    expect(await subject.store.keyFingerprint('one')).toBe('');
  });
}

/**
 * Everything that `ports/notes` promises.
 *
 * @param open - opens an empty store
 */
export function notesSuite(open: OpenStore): void {
  const subject = subjectOf(open);

  test('keeps a text under a name, until another one is given', async () => {
    expect(await subject.store.note({ name: 'a' })).toBe('');
    expect(await subject.store.note({ name: 'a', text: 'one' })).toBe('one');
    expect(await subject.store.note({ name: 'a', text: 'two' })).toBe('two');
    const store = (await subject.reopen?.()) ?? subject.store;
    expect(await store.note({ name: 'a' })).toBe('two');
    expect(await store.note({ name: 'b' })).toBe('');
  });
}

/**
 * Everything that `ports/store` promises beside what it is made of.
 *
 * @param open - opens an empty store
 */
export function storeSuite(open: OpenStore): void {
  const subject = subjectOf(open);

  test('answers a ping while it serves, whatever it holds', async () => {
    await expect(subject.store.ping()).resolves.toBeUndefined();
    await taken(subject.store, 'a');
    await expect(subject.store.ping()).resolves.toBeUndefined();
  });

  test('makes every later call throw', async () => {
    await subject.store.close();
    const { store } = subject;
    const calls = [
      store.tally(),
      store.usage([]),
      store.page({}, { limit: 1 }),
      store.clusters(),
      store.keyFingerprint('x'),
      store.note({ name: 'x' }),
      store.ping(),
    ];
    const codes = await Promise.all(
      calls.map((call) => call.then(String, (error: unknown) => (error as { code: string }).code)),
    );
    expect(codes).toEqual(new Array(7).fill('store/closed'));
  });
}

import { guardedByIdentity } from '../../../operator/identity/identity-guard';
import type { AddressBook } from '../../../operator/ports/address-book';
import { liveServices } from '../../support/ledger-world';

describe('guardedByIdentity', () => {
  const done = { ok: true, value: { released: [] } };
  const guard = (stranger: string | undefined, alone = true) =>
    guardedByIdentity(
      {
        reserve: () => Promise.resolve({ ok: true, value: [] }),
        bind: () => Promise.resolve({ ok: true, value: [] }),
        releaseByUid: () => Promise.resolve(done),
        sweep: () => Promise.resolve({ released: 0, bound: 0 }),
      } as unknown as AddressBook,
      {
        clusterUid: () => Promise.resolve('ours'),
        stranger: () => stranger,
        suspects: () => Promise.resolve(false),
        alone: () => alone,
      },
    );
  const release = (clusterUid: string) => ({ serviceUid: 'uid', clusterUid });
  const sweep = (clusterUid: string) => ({ clusterUid, startedMs: 0, live: liveServices() });

  test('DR-03 releases nothing of the cluster while a stranger has its identity, and says who', async () => {
    const book = guard('pod-x');
    const refused = await book.releaseByUid(release('ours'));
    expect(refused).toMatchObject({
      ok: false,
      refusal: { code: 'cluster/identity-shared', message: expect.stringContaining('pod-x') as string },
    });
    await expect(book.sweep(sweep('ours'))).rejects.toMatchObject({ code: 'cluster/identity-shared' });
  });

  test('gives and binds while it is not known yet whether somebody else is there, and releases nothing of its cluster', async () => {
    const book = guard(undefined, false);
    const request = { claimant: { service: { clusterUid: 'ours' } } };
    const given = await Promise.all([
      book.reserve(request as unknown as Parameters<AddressBook['reserve']>[0]),
      book.bind(request as unknown as Parameters<AddressBook['bind']>[0]),
    ]);
    expect(given).toEqual([expect.objectContaining({ ok: true }), expect.objectContaining({ ok: true })]);
    expect(await book.releaseByUid(release('ours'))).toMatchObject({
      ok: false,
      refusal: { code: 'store/unavailable' },
    });
    await expect(book.sweep(sweep('ours'))).rejects.toMatchObject({ code: 'store/unavailable' });
    expect(await book.releaseByUid(release('theirs'))).toEqual(done);
  });

  test('lets other clusters pass, and everybody where there is no stranger', async () => {
    expect(await guard('pod-x').releaseByUid(release('theirs'))).toEqual(done);
    expect(await guard('pod-x').sweep(sweep('theirs'))).toEqual({ released: 0, bound: 0 });
    expect(await guard(undefined).releaseByUid(release('ours'))).toEqual(done);
  });
});

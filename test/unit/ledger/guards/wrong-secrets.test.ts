import { withPausedSecrets } from '../../../../operator/ledger/guards/wrong-secrets';
import { ask, askByApi, claimant, CUSTOM, granted, LedgerWorld, refusal } from '../../../support/ledger-world';

const WRONG = { value: 'a-wrong-secret', scope: 'shared' } as const;

describe('FU-33 wrong secrets', () => {
  const opened = async () => {
    const world = new LedgerWorld();
    const book = withPausedSecrets(world.book, world.clock);
    const grant = granted(await book.reserve(ask('a/web', { secret: CUSTOM })));
    const at = grant.address.toString();
    const guess = async (label = 'b/thief', secret: typeof WRONG | typeof CUSTOM = WRONG) => {
      const outcome = await book.reserve(askByApi(claimant(label), { at, secret }));
      return outcome.ok ? 'granted' : outcome.refusal.code;
    };
    const guesses = async (times: number) => {
      const codes: string[] = [];
      for (let turn = 0; turn < times; turn++) codes.push(await guess());
      return codes;
    };
    return { world, book, at, grant, guess, guesses };
  };

  test('are answered ten times, then no guess is, for a pause that grows', async () => {
    const { world, guess, guesses } = await opened();
    expect(await guesses(11)).toEqual([...Array<string>(10).fill('secret/wrong'), 'api/rate-limit']);
    // a right guess is not told either, and another name or namespace makes no difference
    expect([await guess('c/other'), await guess('c/other', CUSTOM)]).toEqual(['api/rate-limit', 'api/rate-limit']);
    world.clock.advance(1_000);
    expect([await guess(), await guess()]).toEqual(['secret/wrong', 'api/rate-limit']);
    world.clock.advance(1_000);
    expect(await guess()).toBe('api/rate-limit');
    world.clock.advance(1_000);
    expect(await guess()).toBe('secret/wrong');
    world.clock.advance(600_000);
    expect(await guesses(2)).toEqual(['secret/wrong', 'secret/wrong']);
  });

  test('say when to come again', async () => {
    const { book, at, guesses } = await opened();
    await guesses(10);
    const refused = refusal(await book.reserve(askByApi(claimant('b/thief'), { at, secret: WRONG })));
    expect(refused).toMatchObject({ value: at, retryAfterSeconds: 1 });
    expect(refused.message).toBe(`too many wrong secrets were shown for address "${at}"; try again in 1 s`);
  });

  test.each(['preview', 'rotation', 'release', 'request that would share'] as const)(
    'count in a %s, too, in whose name it comes',
    async (what) => {
      const { book, at, grant } = await opened();
      const options = { retentionPeriodDays: 0, denyExternalCleanup: false };
      const shown = { zone: grant.zone, address: grant.address, family: 4, options } as const;
      const own = claimant('a/web');
      const tries = {
        preview: () => book.preview(askByApi(claimant('b/thief'), { at, secret: WRONG })),
        rotation: () =>
          book.rotate({ ...shown, claimant: own, secret: WRONG, newSecret: { ...WRONG, value: 'the-next-secret' } }),
        release: () => book.releaseByService({ ...shown, service: own.service, secret: WRONG.value }),
        // it is told of the holder
        'request that would share': () => book.reserve(ask('b/thief', { at, secret: WRONG })),
      };
      for (let turn = 0; turn < 10; turn++) expect(refusal(await tries[what]()).code).not.toBe('api/rate-limit');
      expect(refusal(await tries[what]()).code).toBe('api/rate-limit');
    },
  );

  test('stop neither the object that holds the address nor other addresses', async () => {
    const { book, at, guesses } = await opened();
    await guesses(12);
    expect(granted(await book.reserve(ask('a/web', { at, secret: CUSTOM }))).address.toString()).toBe(at);
    expect(granted(await book.reserve(ask('b/other'))).address.toString()).not.toBe(at);
  });

  test('are none where a namespace wishes a held address under the default secret', async () => {
    const { book, at } = await opened();
    for (let turn = 0; turn < 20; turn++)
      expect(refusal(await book.reserve(ask('b/web', { at }))).code).toBe('address/held');
  });
});

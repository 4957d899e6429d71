import { isIpamError } from '../../../../../operator/errors/ipam-error';
import { ask, claimant, granted } from '../../../../support/ledger-world';
import { RemoteWorld, type RemoteProcess } from '../../../../support/remote-world';

const PAGE = {
  kind: 'answer',
  status: 200,
  body: '<!DOCTYPE html><html><body>welcome</body></html>',
  headers: { 'content-type': 'text/html' },
} as const;

let world: RemoteWorld;
let operator: RemoteProcess;
beforeEach(async () => {
  world = new RemoteWorld();
  await world.api.start(20);
  operator = world.process({ budgetMs: 400 });
});
afterEach(() => world.dispose());

describe('a web page with status 200 in place of an answer', () => {
  test('gives no address, is told as what it is, and leaves no second address', async () => {
    world.api.fault = ({ method }) => (method === 'POST' ? PAGE : undefined);
    const thrown: unknown = await operator.book
      .reserve(ask('a/web', { zone: 'inet' }))
      .catch((error: unknown) => error);
    expect(isIpamError(thrown, 'store/unavailable') && thrown.message).toContain('a web page');
    expect(world.api.holders()).toEqual([]);
    world.api.fault = () => undefined;
    const grant = granted(await operator.book.reserve(ask('a/web', { zone: 'inet' })));
    expect(world.api.holders()).toEqual([`${grant.address.toString()}/32 web`]);
    expect(world.phases()).toEqual(['held']);
  });

  test('is no end of a claim: the release is told again until it is heard', async () => {
    const grant = granted(await operator.book.reserve(ask('a/web', { zone: 'inet' })));
    granted(await operator.book.bind({ claimant: { ...claimant('a/web'), serviceUid: 'u1' }, grant }));
    let pages = 2;
    world.api.fault = ({ method }) => (method === 'DELETE' && pages-- > 0 ? PAGE : undefined);
    granted(await operator.book.releaseByUid({ serviceUid: 'u1' }));
    await world.settled();
    expect(pages).toBeLessThan(0);
    expect(world.api.holders()).toEqual([]);
    expect(world.phases()).toEqual([]);
  });
});

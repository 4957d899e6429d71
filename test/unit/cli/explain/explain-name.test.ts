import { CliOperator, SHOP_ZONES } from '../../../support/cli-operator';
import { socketCall } from '../../../support/socket-call';

const operator = new CliOperator(SHOP_ZONES);
const ipam = operator.run.bind(operator);

beforeAll(async () => {
  await operator.start();
  await operator.claimShop();
});

afterAll(() => operator.dispose());

describe('ipam explain', () => {
  test('tells of an address who has it, since when, and what ends it', async () => {
    const { code, out } = await ipam(['explain', '10.1.0.0']);
    expect(code).toBe(0);
    expect(out).toMatch(/^"shop\/web" of cluster cluster-a holds "10\.1\.0\.0" of zone "inet" since \d{4}-/mu);
    expect(out).toContain('then the address is kept for its secret for 7 days');
    expect(out).toContain('to end it now: ipam release 10.1.0.0');
    expect(out).toContain('deny-external-cleanup is set');
  });

  test('finds a Service by its name, in every cluster or in one', async () => {
    await operator.claim('cluster-b', 'shop.web', { secret: { value: 'of-cluster-b', scope: 'shared' } });
    expect((await ipam(['explain', 'shop/web'])).out.match(/ holds /gu)).toHaveLength(2);
    const one = await ipam(['explain', 'shop/web', '--cluster', 'cluster-b']);
    expect(one.out).toContain('of cluster cluster-b holds "10.1.0.1"');
    expect(one.out).not.toContain('cluster-a');
    expect(await ipam(['explain', 'shop/none'])).toMatchObject({ code: 3, out: '' });
  });

  test('finds a claim by its key, chosen or made', async () => {
    expect((await ipam(['explain', 'shop.only'])).out).toContain('"shop/only" of cluster cluster-a holds "10.2.0.0"');
    const made = '@default,10.2.0.0,none';
    expect(await ipam(['explain', made])).toMatchObject({ code: 3, err: expect.stringContaining('no key') as string });
  });

  test('finds a standing claim by its name', async () => {
    await socketCall(operator.at('admin.sock'), {
      method: 'PUT',
      path: '/v3/standing-claims/vip',
      body: { zone: 'inet', family: 'ipv4', address: '10.1.0.200', secret: 'standing-secret', purpose: 'a VIP' },
    });
    const { out } = await ipam(['explain', 'vip']);
    expect(out).toContain('standing claim "vip" holds "10.1.0.200"');
    expect(out).toContain('it lasts until it is released');
  });

  test('tells of a quarantine how long it lasts', async () => {
    await ipam(['release', '10.1.0.1']);
    expect((await ipam(['explain', 'shop/web', '--cluster', 'cluster-b'])).out).toMatch(
      /gave up "10\.1\.0\.1" of zone "inet"; until \d{4}-.* no other claimant may have it/u,
    );
  });

  test('says of anything else what it could have been', async () => {
    const network = await ipam(['explain', '10.1.0.0/24']);
    expect(network).toMatchObject({ code: 3, err: expect.stringContaining('is no address, no Service') as string });
    expect((await ipam(['explain', ''])).code).toBe(1);
  });
});

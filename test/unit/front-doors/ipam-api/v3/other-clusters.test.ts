import { addressOf } from '../../../../../operator/addressing/address';
import { ask, askByApi, claimant, CUSTOM, granted } from '../../../../support/ledger-world';
import { usesOf } from '../../../../support/occupied-suite';
import { SHOWING_CLIENTS } from '../../../../support/remote-shown';
import { claimBody, V3World } from '../../../../support/v3-world';

const OF_C2 = /secret-project|hidden|uid-of/u;
const secretly = (name: string) => claimant(`secret-project/${name}`, { cluster: 'c2' });
const c2 = (name: string, at: string, change: object = {}) => ask(secretly(name), { at, ...change });
const STATES = {
  bound: '192.0.2.10',
  reserved: '192.0.2.11',
  quarantined: '192.0.2.12',
  retained: '192.0.2.13',
  contested: '192.0.2.14',
  used: '192.0.2.15',
} as const;
const SHARED = '192.0.2.16';

/** A record in which cluster `c2` has an address in each state. */
async function world(): Promise<V3World> {
  const made = new V3World({ clients: SHOWING_CLIENTS });
  const { ledger } = made;
  const { book } = ledger;
  await ledger.owns(c2('hidden-b', STATES.bound), 'uid-of-b');
  await ledger.has(c2('hidden-r', STATES.reserved));
  await ledger.owns(c2('hidden-q', STATES.quarantined), 'uid-of-q');
  const days = { options: { retentionPeriodDays: 9, denyExternalCleanup: false } };
  await ledger.owns(c2('hidden-t', STATES.retained, days), 'uid-of-t');
  for (const serviceUid of ['uid-of-q', 'uid-of-t']) await book.releaseByUid({ serviceUid, clusterUid: 'c2' });
  const contesting = { ...secretly('hidden-c'), serviceUid: 'uid-of-c' };
  granted(await book.contests.contest({ claimant: contesting, zone: 'z', address: addressOf(STATES.contested) }));
  const use = { source: 'Service/secret-project/hidden-u', weight: 'occupied' } as const;
  await usesOf(ledger.store).write({ cluster: 'c2', network: 'default', address: addressOf(STATES.used), use });
  await ledger.owns(c2('hidden-s', SHARED, { secret: CUSTOM }), 'uid-of-s');
  return made;
}

test('FU-02, FU-32 a client of one cluster is told of no object of another one, whatever it asks over version 3', async () => {
  const made = await world();
  const told: string[] = [];
  let as = 'c1';
  const send = async (method: string, path: string, body?: unknown): Promise<number> => {
    const reply = await made.send(method, path, { as, ...(body === undefined ? {} : { body }) });
    told.push(reply.text);
    return reply.status;
  };
  const of = '/v3/clusters/c1';
  for (const [state, address] of [...Object.entries(STATES), ['shared', SHARED] as const]) {
    const own = claimBody({ address, secret: { value: 'another-secret', scope: 'shared' } });
    const sharing = { key: 'k', ports: ['80/TCP'], trafficPolicy: 'Cluster', selector: '' };
    await send('POST', `${of}/claims`, claimBody({ address }));
    await send('POST', `${of}/claims`, claimBody({ address, sharing }));
    await send('PUT', `${of}/claims/key-of-${state}`, own);
    await send('POST', '/v3/plan', { clusterUid: 'c1', ...own });
    await send('POST', `${of}/check`, { claimant: own.claimant, zone: 'z', address });
    const secrets = { secret: own.secret, newSecret: { value: 'third-secret', scope: 'shared' }, options: own.options };
    await send('POST', `${of}/rotate`, { claimant: own.claimant, zone: 'z', address, ...secrets });
    const moves = [
      { serviceUid: 'u1', network: 'default', from: address, to: SHARED },
      { serviceUid: 'u2', network: 'default', from: SHARED, to: address },
    ];
    await send('POST', `${of}/exchanges`, { moves });
    await send('POST', `${of}/lookup`, { places: [{ network: 'default', address }] });
    for (const verb of ['', '/history', '/explain'])
      expect(await send('GET', `/v3/networks/default/addresses/${address}${verb}`)).toBe(403);
  }
  const joined = claimBody({ address: SHARED }, { serviceName: 'joined' });
  await send('PUT', `${of}/claims/joined`, joined);
  const rotating = { ...joined, secret: { value: 'third-secret', scope: 'shared' }, previousSecret: joined['secret'] };
  await send('PUT', `${of}/claims/joined`, rotating);
  await send('GET', `${of}/claims/joined`);
  await send('GET', `${of}/claims`);
  await send('GET', `${of}/met`);
  await send('GET', '/v3/zones');
  const all = told.join('\n');
  expect(all).toContain('an object of cluster c2');
  expect(all).toContain('in use by an object of cluster c2, without a claim');
  // a call that no server takes tells nothing
  expect(all).not.toContain('api/malformed');
  expect(told.filter((text) => OF_C2.test(text))).toEqual([]);

  // administrators are told everything
  as = 'admin';
  for (const address of Object.values(STATES)) {
    told.length = 0;
    await send('GET', `/v3/networks/default/addresses/${address}/explain`);
    expect(told.join()).toMatch(/secret-project\/hidden/u);
  }
});

test('FU-02, FU-32 neither is a caller of version 2, nor one that shares an address by its secret', async () => {
  const { ledger } = await world();
  const { book } = ledger;
  const told: string[] = [];
  for (const at of [...Object.values(STATES), SHARED]) {
    const request = askByApi(claimant('a/web'), { at, secret: { value: 'another-secret', scope: 'shared' } });
    const { claimant: asking, zone, secret, options } = request;
    const next = { value: 'third-secret', scope: 'shared' } as const;
    told.push(JSON.stringify(await book.reserve(request)));
    told.push(JSON.stringify(await book.preview(request)));
    told.push(JSON.stringify(await book.check({ claimant: asking, zone, address: addressOf(at) })));
    const rotation = { claimant: asking, zone, address: addressOf(at), family: 4, secret, newSecret: next, options };
    told.push(JSON.stringify(await book.rotate({ ...rotation, family: 4 })));
    told.push(JSON.stringify(await book.rotate({ ...rotation, family: 4, secret: CUSTOM })));
  }
  const shared = await ledger.has(askByApi(claimant('a/joined'), { at: SHARED }));
  expect(shared.sharedWith).toEqual(['an object of cluster c2']);
  told.push(JSON.stringify(await book.holdings(claimant('a/joined')), (_key, value: unknown) => String(value)));
  expect(told.join()).toContain('an object of cluster c2');
  expect(told.filter((text) => OF_C2.test(text))).toEqual([]);
});

import { prefixOf } from '../../../../operator/addressing/prefix';
import type { JsonMap } from '../../../../operator/contract/loose-json';
import { decideRebind, decideRelease, usersOfInstance, usersOfPrefix } from '../../../../operator/rules/networks';
import { f1, f2, GATEWAY, NetworksModel, ofNetwork, selectNi } from '../../../support/networks-model';

const NET1 = ofNetwork('net1');
const moved = { network: 'net1', prefix: '10.0.9.1/24' };
const pool = (length: number, labels: Readonly<Record<string, string>> = {}): JsonMap => ({
  kind: 'pool',
  prefixLength: length,
  ...selectNi(labels),
});

describe('an IPPrefix that changes', () => {
  test('NET-T29 takes its entries along while nothing is given', () => {
    const model = f2();
    expect(model.prefix('net1-p1', moved, GATEWAY)).toBe('10.0.9.1/24');
    expect(Object.keys(model.view())).toEqual(['10.0.0.0/8', '10.0.9.0/24', '10.0.9.0/32', '10.0.9.1/32']);
  });

  test('NET-T30 stays where addresses are given', () => {
    const model = f2();
    model.allocate('alloc1', NET1);
    const before = model.blocks();
    expect(model.prefix('net1-p1', moved, GATEWAY)).toBe('prefix/in-use');
    expect(model.lastRefusal?.message).toContain('1 in use: IPAllocation default/alloc1');
    expect(model.blocks()).toEqual(before);
  });

  test('moves its address inside of the subnet', () => {
    const model = f2();
    model.allocate('alloc1', NET1);
    expect(model.prefix('net1-p1', { network: 'net1', prefix: '10.0.1.254/24' }, GATEWAY)).toBe('10.0.1.254/24');
    expect(model.allocate('alloc1', NET1)).toBe('10.0.1.2/32 gw 10.0.1.254');
    expect(model.blocks()).toEqual(['10.0.0.0/8', '10.0.1.0/24', '10.0.1.2/32', '10.0.1.254/32']);
  });

  test('POOL-01 is widened around what is given', () => {
    const model = f1();
    model.prefix('p', { kind: 'pool', prefix: '10.8.0.0/24' });
    const given = [1, 2].map((index) => model.allocate(`a${String(index)}`, pool(26)));
    expect(model.prefix('p', { kind: 'pool', prefix: '10.8.0.0/23' })).toBe('10.8.0.0/23');
    expect([1, 2].map((index) => model.allocate(`a${String(index)}`, pool(26)))).toEqual(given);
    expect(model.blocks()).toEqual(['10.0.0.0/8', '10.8.0.0/23', '10.8.0.0/26', '10.8.0.64/26']);
    expect(model.prefix('p', { kind: 'pool', prefix: '10.8.0.0/26' })).toBe('prefix/in-use');
  });

  test('POOL-01 a subnet is widened around its addresses', () => {
    const model = f2();
    model.allocate('alloc1', NET1);
    expect(model.prefix('net1-p1', { network: 'net1', prefix: '10.0.1.1/23' }, GATEWAY)).toBe('10.0.1.1/23');
    expect(model.allocate('alloc1', NET1)).toBe('10.0.1.2/32 gw 10.0.1.1');
    expect(model.blocks()).toEqual(['10.0.0.0/8', '10.0.0.0/23', '10.0.1.1/32', '10.0.1.2/32']);
  });

  test('a network takes another name while nothing else is in it', () => {
    const model = f2();
    expect(model.prefix('net1-p1', { network: 'other', prefix: '10.0.1.1/24' }, GATEWAY)).toBe('10.0.1.1/24');
    expect(model.allocate('a', ofNetwork('other'))).toBe('10.0.1.2/32 gw 10.0.1.1');
    expect(model.prefix('net1-p1', { network: 'net1', prefix: '10.0.1.1/24' }, GATEWAY)).toBe('prefix/other-network');
  });

  test('becomes another kind where nothing is in the way', () => {
    const model = f1();
    model.prefix('p', { kind: 'pool', prefix: '10.8.0.0/24' });
    expect(model.prefix('p', { network: 'n', prefix: '10.8.0.1/24' })).toBe('10.8.0.1/24');
    expect(model.prefix('p', { kind: 'loopback', prefix: '10.8.0.0/24' })).toBe('10.8.0.0/24');
    expect(model.blocks()).toEqual(['10.0.0.0/8', '10.8.0.0/24']);
  });

  test('asking again writes nothing', () => {
    const model = f2();
    const versions = model.table.entries().map(({ version }) => version);
    model.prefix('net1-p1', { network: 'net1', prefix: '10.0.1.1/24' }, GATEWAY);
    model.prefix('agg0', { kind: 'aggregate', prefix: '10.0.0.0/8' });
    expect(model.table.entries().map(({ version }) => version)).toEqual(versions);
  });
});

describe('an IPAllocation that changes', () => {
  test('NET-T72 gets the new one, and gives the old one back', () => {
    const model = f2();
    model.prefix('net2-p1', { network: 'net2', prefix: '10.0.5.1/24' }, GATEWAY);
    expect(model.allocate('a', NET1)).toBe('10.0.1.2/32 gw 10.0.1.1');
    expect(model.allocate('a', ofNetwork('net2'))).toBe('10.0.5.2/32 gw 10.0.5.1');
    expect(model.blocks()).not.toContain('10.0.1.2/32');
  });

  test('keeps what still fits the new wording', () => {
    const model = f2();
    model.allocate('a', NET1);
    model.prefix('net1-p5', { network: 'net1', prefix: '10.0.1.3/24' });
    expect(model.allocate('a', { ...NET1, addressFamily: 'ipv4' })).toBe('10.0.1.2/32 gw 10.0.1.1');
    expect(model.allocate('a', { ...NET1, prefix: '10.0.1.2/24' })).toBe('10.0.1.2/24 gw 10.0.1.1');
    expect(model.allocate('a', NET1)).toBe('10.0.1.2/32 gw 10.0.1.1');
  });

  test('keeps what it has when the new wish cannot be met', () => {
    const model = f2();
    model.allocate('a', NET1);
    const before = model.blocks();
    expect(model.allocate('a', ofNetwork('net9'))).toBe('selector/no-candidate');
    expect(model.blocks()).toEqual(before);
  });

  test('is never given from what it has itself', () => {
    const model = f1();
    expect(model.allocate('a', pool(16), { site: '1' })).toBe('10.0.0.0/16');
    expect(model.allocate('a', pool(24, { site: '1' }), { site: '1' })).toBe('selector/no-candidate');
    expect(model.allocate('a', pool(24), { site: '1' })).toBe('10.1.0.0/24');
    expect(model.blocks()).toEqual(['10.0.0.0/8', '10.1.0.0/24']);
  });

  test('moves no one when labels of others change', () => {
    const model = f1();
    model.prefix('p', { kind: 'pool', prefix: '10.8.0.0/24' }, { use: 'a' });
    expect(model.allocate('a', pool(26, { use: 'a' }))).toBe('10.8.0.0/26');
    model.prefix('p', { kind: 'pool', prefix: '10.8.0.0/24' }, { use: 'b' });
    expect(model.allocate('a', pool(26, { use: 'a' }))).toBe('10.8.0.0/26');
    expect(model.allocate('b', pool(26, { use: 'a' }))).toBe('selector/no-candidate');
  });

  test('a key that was given something else is refused', () => {
    const model = f2();
    const call = (spec: JsonMap) => ({ ...model.request('g1', spec), key: 'grpc/default/g1', door: 'grpc' as const });
    expect(model.decide(call(NET1))).toBe('10.0.1.2/32 gw 10.0.1.1');
    expect(model.decide(call(NET1))).toBe('10.0.1.2/32 gw 10.0.1.1');
    expect(model.decide(call(pool(16)))).toBe('request/changed');
  });

  test('NET-T102 NET-T103 NET-T104 what was given under a key goes with its client', () => {
    const model = f2();
    const owner = model.owner('', '');
    const call = (name: string) => ({
      ...model.request('g', NET1),
      owner,
      key: `grpc/default/${name}`,
      door: 'grpc' as const,
    });
    expect([model.decide(call('g 1')), model.decide(call('g 1'))]).toEqual(Array(2).fill('10.0.1.2/32 gw 10.0.1.1'));
    model.table.apply(decideRelease(model.table, owner));
    expect(decideRelease(model.table, owner)).toEqual({ as: 'answer', value: { left: [], users: [] } });
    expect(model.decide(call('g 2'))).toBe('10.0.1.2/32 gw 10.0.1.1');
  });
});

describe('an object that goes', () => {
  test('NET-T88 a prefix and an allocation of one name are two', () => {
    const model = f2();
    model.prefix('x', { network: 'net1', prefix: '10.0.1.10/24' });
    expect(model.allocate('x', NET1)).toBe('10.0.1.11/32 gw 10.0.1.1');
    expect(model.release('IPAllocation', 'x')).toEqual([]);
    expect(model.blocks()).toContain('10.0.1.10/32');
    expect(model.blocks()).not.toContain('10.0.1.11/32');
  });

  test('NET-T90 NET-T91 a host goes alone, and the last one with its subnet', () => {
    const model = f2();
    model.prefix('net1-p10', { network: 'net1', prefix: '10.0.1.10/24' });
    const before = model.blocks();
    expect(model.release('IPPrefix', 'net1-p10')).toEqual([]);
    expect(before.filter((block) => !model.blocks().includes(block))).toEqual(['10.0.1.10/32']);
    expect(model.release('IPPrefix', 'net1-p1')).toEqual([]);
    expect(model.blocks()).toEqual(['10.0.0.0/8']);
  });

  test('NET-T92 waits for what is given in its subnet', () => {
    const model = f2();
    model.allocate('alloc1', NET1);
    expect(model.release('IPPrefix', 'net1-p1')).toEqual(['IPAllocation default/alloc1']);
    expect(model.blocks()).toHaveLength(4);
    model.release('IPAllocation', 'alloc1');
    expect(model.release('IPPrefix', 'net1-p1')).toEqual([]);
    expect(model.blocks()).toEqual(['10.0.0.0/8']);
  });

  test('NET-T93 an aggregate waits for what is inside', () => {
    const model = f2();
    expect(model.release('IPPrefix', 'agg0')).toEqual(['IPPrefix default/net1-p1']);
    model.release('IPPrefix', 'net1-p1');
    expect(model.release('IPPrefix', 'agg0')).toEqual([]);
    expect(model.blocks()).toEqual([]);
  });

  test('NET-T94 a pool that was given waits for what was cut out of it', () => {
    const model = f1();
    model.allocate('outer', pool(16), { site: '1' });
    model.allocate('inner', pool(24, { site: '1' }));
    expect(model.release('IPAllocation', 'outer')).toEqual(['IPAllocation default/inner']);
    model.release('IPAllocation', 'inner');
    expect(model.release('IPAllocation', 'outer')).toEqual([]);
    expect(model.blocks()).toEqual(['10.0.0.0/8']);
  });

  test('NET-T95 an instance waits for all of them', () => {
    const model = f2();
    model.allocate('alloc1', NET1);
    model.allocate('pool1', pool(16));
    const users = () => usersOfInstance(model.table).map(({ kind, name }) => `${kind} ${name}`);
    expect(users().sort()).toEqual(['IPAllocation alloc1', 'IPAllocation pool1', 'IPPrefix agg0', 'IPPrefix net1-p1']);
    for (const name of ['alloc1', 'pool1']) model.release('IPAllocation', name);
    for (const name of ['net1-p1', 'agg0']) model.release('IPPrefix', name);
    expect(users()).toEqual([]);
  });

  test('NET-T95 an instance waits for what lies in nothing, and for users by label', () => {
    const model = new NetworksModel();
    model.allocate('lo', { kind: 'loopback', prefix: '192.0.2.7/32', ...selectNi() });
    model.allocate('all', { kind: 'aggregate', prefix: '::/0', ...selectNi() });
    model.prefix('n', { network: 'n', prefix: '10.0.1.1/24' }, GATEWAY);
    model.allocate('gw', ofNetwork('n', GATEWAY));
    const users = usersOfInstance(model.table).map(({ kind, name }) => `${kind} ${name}`);
    expect(users.sort()).toEqual(['IPAllocation all', 'IPAllocation gw', 'IPAllocation lo', 'IPPrefix n']);
  });

  test('B13 a subnet without hosts goes with the last address in it', () => {
    const model = f2();
    model.allocate('alloc1', NET1);
    model.table.remove(prefixOf('10.0.1.1/32'));
    expect(model.release('IPAllocation', 'alloc1')).toEqual([]);
    expect(model.blocks()).toEqual(['10.0.0.0/8']);
  });

  test('a host that is used by label waits for its user', () => {
    const model = f2();
    model.allocate('gw', ofNetwork('net1', GATEWAY));
    model.prefix('net1-p10', { network: 'net1', prefix: '10.0.1.10/24' });
    expect(model.release('IPPrefix', 'net1-p1')).toEqual(['IPAllocation default/gw']);
  });

  test('labels of a subnet follow the IPPrefix that is left', () => {
    const model = f2();
    model.prefix('net1-p10', { network: 'net1', prefix: '10.0.1.10/24' }, { region: 'eu' });
    expect(model.allocate('a', ofNetwork('net1', { region: 'eu' }))).toBe('10.0.1.10/32 gw 10.0.1.1');
    model.release('IPAllocation', 'a');
    model.release('IPPrefix', 'net1-p1');
    expect(model.allocate('a', ofNetwork('net1', { region: 'eu' }))).toBe('10.0.1.1/32');
  });

  test('a range waits for those who were given from it', () => {
    const model = f2();
    model.prefix('r', { network: 'net1', prefix: '10.0.1.0/24', range: '10.0.1.8-10.0.1.9' }, { use: 'x' });
    model.allocate('a', ofNetwork('net1', { use: 'x' }));
    const request = model.declared.get('r')?.request;
    expect(usersOfPrefix(model.table, model.owner('IPPrefix', 'r'), request)).toEqual([
      { kind: 'IPAllocation', namespace: 'default', name: 'a' },
    ]);
    expect(usersOfPrefix(model.table, model.owner('IPPrefix', 'net1-p1'))).toHaveLength(1);
  });

  test('DEL-04 what another object of the same name holds is left alone', () => {
    const model = f2();
    model.allocate('a', NET1);
    const before = model.blocks();
    const other = { ...model.owner('IPAllocation', 'a'), uid: 'another' };
    expect(decideRelease(model.table, other)).toEqual({ as: 'answer', value: { left: [], users: [] } });
    expect(decideRebind(model.table, other, model.owner('IPAllocation', 'a'))).toMatchObject({ as: 'answer' });
    expect(model.blocks()).toEqual(before);
  });

  test('DR-02 entries follow an object to its new UID', () => {
    const model = f2();
    model.allocate('gw', ofNetwork('net1', GATEWAY));
    const [old, restored] = [model.owner('IPPrefix', 'net1-p1'), { ...model.owner('IPPrefix', 'net1-p1'), uid: 'new' }];
    model.table.apply(decideRebind(model.table, old, restored));
    expect(model.table.at(prefixOf('10.0.1.1/32'))).toMatchObject({ owner: { uid: 'new' }, user: { name: 'gw' } });
    expect(decideRebind(model.table, old, restored)).toEqual({ as: 'answer', value: 0 });
  });

  test('everything is gone when everything was released', () => {
    const model = new NetworksModel();
    model.prefix('n', { network: 'n', prefix: '10.0.1.1/24' });
    model.allocate('a', ofNetwork('n'));
    expect(model.release('IPPrefix', 'n')).toEqual(['IPAllocation default/a']);
    expect(model.release('IPAllocation', 'a')).toEqual([]);
    expect(model.release('IPAllocation', 'a')).toEqual([]);
    expect(model.release('IPPrefix', 'n')).toEqual([]);
    expect(model.blocks()).toEqual([]);
  });
});

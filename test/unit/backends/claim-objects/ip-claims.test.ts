import { addressOf } from '../../../../operator/addressing/address';
import { ipCodec } from '../../../../operator/backends/claim-objects/ip-codec';
import { IP } from '../../../../operator/contract/kinds/ip';
import { valueOf } from '../../../../operator/errors/ipam-error';
import type { NewHolder } from '../../../../operator/ports/claims';
import {
  addressText,
  at,
  binding,
  firstHolder,
  refusalOf,
  releasing,
  spaceOf,
  taking,
} from '../../../support/claim-requests';
import { settled } from '../../../support/settled';
import { claimServer, openClaims, standingClock, type OpenedClaims } from '../../../support/open-claim-objects';

const POOL = spaceOf('1.1.1.0/29');

const service = (name: string): NewHolder => ({
  owner: {
    cluster: '',
    apiVersion: 'v1',
    kind: 'Service',
    namespace: 'test',
    namespaceUid: '',
    name,
    uid: `uid-${name}`,
  },
  state: 'bound',
});

const asking = (name: string, address?: string) =>
  taking(name, { pool: 'g', space: POOL, holder: service(name), ...(address === undefined ? {} : { address }) });

describe('claims as IPs', () => {
  const opened: OpenedClaims[] = [];
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((each) => each.close()));
  });

  const two = async () => {
    const clock = standingClock();
    const server = claimServer(clock);
    const open = async () => {
      const one = await openClaims(server, { clock, nested: false, kind: { declaration: IP, codec: ipCodec() } });
      opened.push(one);
      return one.store;
    };
    return { one: await open(), other: await open(), clock, server };
  };

  test('VIP-T12 gives an address to one of two processes that ask at once', async () => {
    const { one, other } = await two();
    const answers = await Promise.all([one.take(asking('x', '1.1.1.6')), other.take(asking('y', '1.1.1.6'))]);
    expect(answers.filter(({ ok }) => ok)).toHaveLength(1);
    const refused = answers.find(({ ok }) => !ok);
    expect(refused === undefined ? undefined : refusalOf(refused).code).toBe('address/held');
  });

  test('VIP-T44 gives two processes that choose at once different addresses, without a gap', async () => {
    const { one, other } = await two();
    const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
    const taken = await Promise.all(names.map((name, index) => (index % 2 === 0 ? one : other).take(asking(name))));
    const given = taken.map((answer) => addressText(valueOf(answer)[0]?.record));
    expect([...given].sort()).toEqual(names.map((_, index) => `1.1.1.${String(index)}`));
    expect(refusalOf(await one.take(asking('i'))).code).toBe('pool/exhausted');
  });

  test('knows its own writes at once, and those of another process soon', async () => {
    const { one, other } = await two();
    const record = valueOf(await one.take(asking('a')))[0]!.record;
    expect(one.known.at(at('1.1.1.0'))).toEqual(record);
    expect(one.known.find({ by: 'uid', uid: 'uid-a' })).toEqual([record]);
    expect(one.known.within('default', spaceOf('1.1.1.0/31')).map(addressText)).toEqual(['1.1.1.0']);
    expect([one.known.within('default', spaceOf('1.1.1.4/30')), one.known.at(at('1.1.1.0', 'blue'))]).toEqual([
      [],
      undefined,
    ]);
    await settled();
    expect(other.known.at(at('1.1.1.0'))).toEqual(record);
    valueOf(await other.release(releasing(record)));
    expect(other.known.find({ by: 'pool', network: 'default', pool: 'g' })).toEqual([]);
  });

  test('REQ-03 lets Services share an address, and frees it with the last one', async () => {
    const { one, server } = await two();
    const alone = valueOf(await one.take(asking('a')))[0]!.record;
    const sharing = { key: 'k', ports: ['80/TCP'], trafficPolicy: 'Cluster', selector: '' } as const;
    const both = valueOf(await one.bind(binding(alone, { ...service('b'), sharing })));
    expect(both.holders.map(({ owner }) => owner.name)).toEqual(['a', 'b']);
    const left = valueOf(await one.release(releasing(both)))!;
    expect(firstHolder(left)).toMatchObject({ owner: { name: 'b' }, sharing });
    expect(valueOf(await one.release(releasing(left)))).toBeUndefined();
    expect(server.get('/apis/paas.org/v1/ips/1.1.1.0')).toBeUndefined();
  });

  test('keeps an address for its former holder, and gives it to others after that', async () => {
    const { one, clock } = await two();
    const record = valueOf(await one.take(asking('a')))[0]!.record;
    const waiting = valueOf(await one.release(releasing(record, { quarantineMs: 60_000 })))!;
    expect(waiting).toMatchObject({ state: 'quarantined', quarantine: { former: { owner: { name: 'a' } } } });
    expect(refusalOf(await one.take(asking('b', '1.1.1.0'))).code).toBe('address/quarantined');
    clock.advance(61_000);
    expect(valueOf(await one.take(asking('b', '1.1.1.0')))[0]?.record.address).toEqual(addressOf('1.1.1.0'));
  });
});

import { addressOf } from '../../../operator/addressing/address';
import { POOL_WITHDRAW, readAddressPool, withdraws, type PoolView } from '../../../operator/contract/address-pool';

function poolOf(spec: object, annotations?: object): PoolView {
  const pool = readAddressPool({ metadata: { name: 'inet', annotations }, spec });
  if (pool === undefined) throw new TypeError('no pool');
  return pool;
}

const BEFORE = { addresses: ['10.0.0.0/24', '10.1.0.1-10.1.0.9', '2001:db8::/120'] };

interface Row {
  readonly title: string;
  readonly after?: object;
  readonly address: string;
  readonly withdrawn: boolean;
}

const ROWS: readonly Row[] = [
  { title: 'the same pool', after: BEFORE, address: '10.0.0.7', withdrawn: false },
  { title: 'a deleted pool', address: '10.0.0.7', withdrawn: true },
  { title: 'an address that it never held', address: '10.9.0.7', withdrawn: false },
  { title: 'a smaller prefix', after: { addresses: ['10.0.0.0/25'] }, address: '10.0.0.200', withdrawn: true },
  { title: 'a range in other words', after: { addresses: ['10.1.0.0/28'] }, address: '10.1.0.9', withdrawn: false },
  { title: 'a family that is gone', after: { addresses: ['10.0.0.0/24'] }, address: '2001:db8::7', withdrawn: true },
  {
    title: 'entries that MetalLB does not take',
    after: { addresses: ['10.0.0.0'] },
    address: '10.0.0.0',
    withdrawn: true,
  },
  { title: 'no addresses', after: { addresses: null }, address: '10.0.0.7', withdrawn: true },
  { title: 'avoidBuggyIPs', after: { ...BEFORE, avoidBuggyIPs: true }, address: '10.0.0.255', withdrawn: true },
  {
    title: 'avoidBuggyIPs elsewhere',
    after: { ...BEFORE, avoidBuggyIPs: true },
    address: '10.0.0.25',
    withdrawn: false,
  },
  {
    title: 'other namespaces',
    after: { ...BEFORE, serviceAllocation: { namespaces: ['other'] } },
    address: '10.0.0.7',
    withdrawn: true,
  },
  {
    title: 'its namespace among others',
    after: { ...BEFORE, serviceAllocation: { namespaces: ['other', 'team'] } },
    address: '10.0.0.7',
    withdrawn: false,
  },
  {
    title: 'labels that choose Services',
    after: { ...BEFORE, serviceAllocation: { serviceSelectors: [{ matchLabels: { a: 'b' } }] } },
    address: '10.0.0.7',
    withdrawn: true,
  },
];

test.each(ROWS.map((row) => [row.title, row] as const))('FU-103 a change to %s', (_title, row) => {
  const after = row.after === undefined ? undefined : poolOf(row.after);
  const held = { address: addressOf(row.address), namespace: 'team' };
  expect(withdraws(poolOf(BEFORE), after, held)).toBe(row.withdrawn);
});

test('FU-103 the annotation lists prefixes, ranges and addresses', () => {
  const pool = poolOf(BEFORE, { [POOL_WITHDRAW]: '10.0.0.7, 10.0.0.128/25,10.1.0.1-10.1.0.3,2001:db8::7,nonsense' });
  expect(pool.withdrawable.toString()).toBe('10.0.0.7, 10.0.0.128-10.0.0.255, 10.1.0.1-10.1.0.3, 2001:db8::7');
});

test('FU-103 what is no object is no pool', () => {
  expect([null, 'pool', []].map(readAddressPool)).toEqual([undefined, undefined, undefined]);
});

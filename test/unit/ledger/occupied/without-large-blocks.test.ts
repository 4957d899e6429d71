import { addressOf } from '../../../../operator/addressing/address';
import { openLedger } from '../../../../operator/ledger/open-ledger';
import { foreignInLargeBlocks } from '../../../../operator/ledger/occupied/without-large-blocks';
import type { ForeignAddresses } from '../../../../operator/ports/foreign-addresses';
import { LargeBlocksWorld } from '../../../support/large-blocks-world';
import { ask, claimant, LedgerWorld, testHasher } from '../../../support/ledger-world';
import { ownRecord } from '../../../support/own-record';
import { V3World } from '../../../support/v3-world';

/** What version 3 says of an address. */
type Said = readonly [state: unknown, sentences: unknown];

const OUTSIDE: ForeignAddresses = {
  foreignAt: ({ address }) => Promise.resolve({ kind: 'foreign', words: `the other system has ${address.toString()}` }),
};

let world: LargeBlocksWorld;
let ledger: LedgerWorld;
beforeEach(() => {
  world = new LargeBlocksWorld();
  ledger = new LedgerWorld([{ name: 'z', prefixes: ['10.0.0.0/7', 'fd00::/63'], edgeAddresses: 'use' }]);
});

async function said(address: string, outside?: ForeignAddresses): Promise<Said> {
  const foreign = foreignInLargeBlocks(outside, world.blocks);
  const { zones, clock, store } = ledger;
  const { registry } = openLedger({ record: { ...ownRecord(store), foreign }, zones, hasher: testHasher, clock });
  const server = new V3World({ ledger, parts: { registry } });
  const path = `/v3/networks/default/addresses/${address}`;
  const { json: shown } = await server.send('GET', path);
  const { json: explained } = await server.send('GET', `${path}/explain`);
  return [shown['state'], explained['sentences']];
}

test('an address inside of a claimed prefix of any size is not said to be free', async () => {
  world.has('IPAllocation/team/low', ['11.0.0.0/10']);
  world.has('IPAllocation/team/six', ['fd00::/64']);
  expect(await said('11.0.0.5')).toEqual([
    'foreign',
    ['no claim holds address "11.0.0.5" here, but IPAllocation/team/low has 11.0.0.0/10, so no claim gets it'],
  ]);
  expect(await said('fd00::5')).toEqual([
    'foreign',
    ['no claim holds address "fd00::5" here, but IPAllocation/team/six has fd00::/64, so no claim gets it'],
  ]);
  expect(await said('11.64.0.0')).toEqual(['free', ['address "11.64.0.0" of zone "z" is free']]);
  world.has('IPAllocation/team/low', []);
  expect(await said('11.0.0.5')).toEqual(['free', ['address "11.0.0.5" of zone "z" is free']]);
});

test('a prefix of another network, and one whose addresses have rows, are not told', async () => {
  world.has('IPAllocation/team/lab', ['11.0.0.0/10'], 'lab');
  world.has('IPAllocation/team/few', ['11.0.0.0/20']);
  expect(await said('11.0.0.5')).toEqual(['free', ['address "11.0.0.5" of zone "z" is free']]);
});

test('a claim inside of such a prefix is told as one that holds its address', async () => {
  const { address } = await ledger.has(ask(claimant('team/web'), { at: '11.0.0.5' }));
  world.has('IPAllocation/team/low', ['11.0.0.0/10']);
  expect(address).toEqual(addressOf('11.0.0.5'));
  expect((await said('11.0.0.5'))[0]).toBe('held');
});

test('an outside source is asked beside the prefixes', async () => {
  world.has('IPAllocation/team/low', ['11.0.0.0/10']);
  expect(await said('11.0.0.5', OUTSIDE)).toEqual([
    'foreign',
    [expect.stringContaining('IPAllocation/team/low has 11.0.0.0/10')],
  ]);
  expect(await said('11.64.0.0', OUTSIDE)).toEqual([
    'foreign',
    [expect.stringContaining('the other system has 11.64.0.0')],
  ]);
});

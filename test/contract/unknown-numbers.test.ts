import { addZones } from '../../operator/cli/commands/zones';
import type { ApiCaller } from '../../operator/cli/calls/api-caller';
import type { CommandParts } from '../../operator/cli/arguments/command-parts';
import { addressOf } from '../../operator/addressing/address';
import type { AnswerBody } from '../../operator/contract/ipam-api/v3/operations';
import { parseAnswer } from '../../operator/contract/ipam-api/v3/parse-call';
import { accept, refuse, type Outcome } from '../../operator/errors/outcome';
import { zoneAnswers } from '../../operator/front-doors/ipam-api/v3/zone-answers';
import { openLedger, type Ledger } from '../../operator/ledger/open-ledger';
import type { ClaimCounts } from '../../operator/ports/claim-counts';
import { Command } from 'commander';
import { ask, granted, LedgerWorld, refusal, testHasher } from '../support/ledger-world';

/** A ledger over a record that counts no retentions and quarantines, and keeps neither a past nor reports: as over version 2. */
function plainLedger({ store, zones, clock }: LedgerWorld): Ledger {
  const counts: ClaimCounts = {
    page: (filter, page) => store.page(filter, page),
    tally: () => store.tally(),
    usage: async (spaces) =>
      (await store.usage(spaces)).map(({ retained: _r, quarantined: _q, contested: _c, ...known }) => known),
  };
  return openLedger({ record: { claims: store, counts }, zones, hasher: testHasher, clock });
}

/** Runs `ipam zones` against answers. */
async function zonesTable(answer: (asked: unknown) => Outcome<AnswerBody<'listZones'>>): Promise<readonly string[]> {
  let row: readonly string[] = [];
  const api = { call: (_id: string, call: unknown) => Promise.resolve(answer(call)) } as unknown as ApiCaller;
  const program = new Command();
  const run: CommandParts['run'] = async (work) => {
    const { table } = granted(await work(api));
    if (typeof table === 'object' && 'rows' in table) row = table.rows[0] ?? [];
  };
  addZones({ program, run } as CommandParts);
  await program.parseAsync(['zones'], { from: 'user' });
  return row;
}

describe('a record that does not tell everything', () => {
  let world: LedgerWorld;
  let registry: Ledger['registry'];
  beforeEach(async () => {
    world = new LedgerWorld();
    registry = plainLedger(world).registry;
    granted(await world.book.reserve(ask('a/web')));
  });

  test('has no count where nothing is known, rather than 0', async () => {
    const [usage] = await registry.zones();
    expect(usage).toMatchObject({ zone: 'z', family: 4, reserved: 1n, bound: 0n });
    for (const unknown of ['retained', 'quarantined', 'contested']) expect(usage).not.toHaveProperty(unknown);
  });

  test('leaves the counts out of an answer where the query asks so, and goes on with 0 for clients of before', async () => {
    const usage = await registry.zones();
    const [exact] = zoneAnswers(world.zones.current(), usage, true);
    for (const unknown of ['retained', 'quarantined', 'contested']) expect(exact?.usage[0]).not.toHaveProperty(unknown);
    expect(parseAnswer('listZones', 200, { entries: [exact] })).toMatchObject({ ok: true });
    const [plain] = zoneAnswers(world.zones.current(), usage);
    expect(plain?.usage[0]).toMatchObject({ retained: '0', quarantined: '0' });
    expect(plain?.usage[0]).not.toHaveProperty('contested');
  });

  test('is shown by "ipam zones" with "-", also beside a server of before', async () => {
    const entries = zoneAnswers(world.zones.current(), await registry.zones(), true);
    expect((await zonesTable(() => accept({ entries }))).slice(5, 9)).toEqual(['1', '0', '-', '-']);
    const older = zoneAnswers(world.zones.current(), await registry.zones());
    const row = await zonesTable((asked) =>
      JSON.stringify(asked) === '{}'
        ? accept({ entries: older })
        : refuse('api/malformed', 'query.contested is unknown'),
    );
    expect(row.slice(5, 9)).toEqual(['1', '0', '0', '0']);
  });

  test('refuses to tell clusters and a past, rather than calling them none', async () => {
    expect(refusal(await registry.clusters()).code).toBe('store/no-reports');
    const past = await registry.history('default', addressOf('192.0.2.0'), { limit: 9 });
    expect(refusal(past).code).toBe('store/no-history');
  });
});

import { setTimeout as sleep } from 'node:timers/promises';
import { addressOf } from '../../operator/addressing/address';
import { V2Client } from '../../operator/backends/ipam-api-client/v2/v2-client';
import type { V2Calls } from '../../operator/backends/ipam-api-client/v2/v2-call';
import { rememberingHasher } from '../../operator/backends/ipam-api-client/v2/v2-hasher';
import { RemoteClaimStore } from '../../operator/backends/ipam-api-client/v2/v2-store';
import { MemoryIntentRows, sharedIntents, type SharedIntents } from './memory-intent-rows';
import { SYSTEM_CLOCK } from '../../operator/backends/system/system-clock';
import { LocalAddressBook } from '../../operator/ledger/local-address-book';
import type { AddressBook } from '../../operator/ports/address-book';
import type { Clock } from '../../operator/ports/clock';
import type { IntentRows } from '../../operator/ports/intent-rows';
import { FakeVitistackApi } from './fake-vitistack-api';
import { TestZones } from './ledger-world';
import { RecordedLogger, RecordedMeter } from './recorded-telemetry';

/** Zones of a remote world. */
export const REMOTE_ZONES = [
  { name: 'inet', prefixes: ['83.118.168.0/22', '2a05:1234::/64'] },
  { name: 'hnet-private', prefixes: ['172.16.0.0/12'] },
];

/** One operator process of a remote world. */
export interface RemoteProcess {
  readonly store: RemoteClaimStore;
  readonly book: AddressBook;
}

/** Operators of one cluster whose claims are at a stand-in of the original IPAM-API. Real time, short budgets. */
export class RemoteWorld {
  readonly api: FakeVitistackApi;
  readonly intents: SharedIntents = sharedIntents();
  readonly logger = new RecordedLogger();
  readonly meter = new RecordedMeter();
  readonly #processes: RemoteProcess[] = [];

  /** `zones`: those of the IPAM-API, where it has others than the operator. */
  constructor(zones?: ConstructorParameters<typeof FakeVitistackApi>[1]) {
    this.api = new FakeVitistackApi(undefined, zones);
  }

  /** A further process over the same intent rows. */
  process(
    options: {
      readonly calls?: (calls: V2Calls) => V2Calls;
      readonly rows?: IntentRows;
      readonly budgetMs?: number;
      readonly clock?: Clock;
    } = {},
  ): RemoteProcess {
    const {
      calls = (each: V2Calls): V2Calls => each,
      rows = new MemoryIntentRows(this.intents),
      budgetMs = 4_000,
      clock = SYSTEM_CLOCK,
    } = options;
    const tools = { clock, logger: this.logger, meter: this.meter };
    const hasher = rememberingHasher('c1');
    const client = new V2Client({ url: this.api.url, ...tools });
    const store = new RemoteClaimStore({ rows, calls: calls(client), hasher, ...tools, budgetMs });
    const book = new LocalAddressBook({
      record: { claims: store, counts: store },
      zones: new TestZones(REMOTE_ZONES),
      hasher,
      clock,
    });
    const opened = { store, book };
    this.#processes.push(opened);
    return opened;
  }

  /** Waits until nothing is left to tell the IPAM-API. */
  async settled(timeoutMs = 100_000): Promise<void> {
    const endMs = Date.now() + timeoutMs;
    const isOpen = (): boolean =>
      [...this.intents.rows.values()].some(({ body }) => /"leaving"|"stale"|"next"/u.test(JSON.stringify(body)));
    while (isOpen()) {
      if (Date.now() > endMs) throw new TypeError(`not settled: ${JSON.stringify([...this.intents.rows.values()])}`);
      await sleep(20);
    }
  }

  /** Phases of the holders on record, by row. */
  phases(): readonly string[] {
    const rows = [...this.intents.rows.values()];
    return rows.flatMap(({ body }) => (body['holders'] as { phase: string }[]).map(({ phase }) => phase));
  }

  async dispose(): Promise<void> {
    for (const { store } of this.#processes) await store.close();
    await this.api.stop();
  }
}

/** An address of zone `inet` by its last number. */
export const inet = (last: number) => addressOf(`83.118.168.${String(last)}`);

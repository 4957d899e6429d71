/** One process: settles `count` Services on SQLite, compares them again and again, and prints CPU microseconds for each, as JSON. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { MemoryCluster } from '../../../operator/backends/memory/memory-cluster';
import { SYSTEM_CLOCK } from '../../../operator/backends/system/system-clock';
import { openSqliteStore } from '../../../operator/backends/sql/sqlite/sqlite-claim-store';
import { parseZones, type ZoneCatalogue } from '../../../operator/contract/zones';
import { createServicesController, type ServicesController } from '../../../operator/front-doors/services';
import { ownRecord } from '../../support/own-record';
import { LocalAddressBook } from '../../../operator/ledger/local-address-book';
import { withIngress } from '../../support/controller-world';
import { testHasher } from '../../support/ledger-world';
import { ManualClock } from '../../support/manual-clock';
import { RecordedLogger, RecordedMeter } from '../../support/recorded-telemetry';
import { service } from '../../support/review-builder';
import { StoredServices } from '../../support/stored-services';

const WORKER = join(__dirname, '../../../operator/backends/sql/sqlite/sqlite-worker.ts');
const [WARM_UP, ROUNDS] = [3, 5];

function catalogue(): ZoneCatalogue {
  const parsed = parseZones({ version: 1, zones: [{ name: 'z', prefixes: ['10.0.0.0/12'] }] });
  if (!parsed.ok) throw new RangeError('the zones of the bench are wrong');
  return parsed.value;
}

/** Services as an installation that is taken over has them: served and announced. */
function filled(count: number): StoredServices {
  const services = new StoredServices();
  for (let i = 0; i < count; i++) {
    const address = `10.${String((i >> 16) & 15)}.${String((i >> 8) & 255)}.${String(i & 255)}`;
    const annotations = { 'ipam.vitistack.io/zone': 'z', 'ipam.vitistack.io/addresses': address };
    const keys = { 'metallb.io/address-pool': 'z', 'metallb.io/loadBalancerIPs': address };
    const uid = `00000000-0000-4000-8000-${String(i).padStart(12, '0')}`;
    const object = service({ ...annotations, ...keys }, {}, { name: `s${String(i)}`, uid });
    services.put(withIngress(object, [address]));
  }
  return services;
}

async function compare(controller: ServicesController): Promise<number> {
  const keys = await controller.compare();
  for (const key of keys) await controller.reconcile(key);
  return keys.length;
}

async function measured(count: number, folder: string): Promise<{ micros: number; looks: number; writes: number }> {
  const workerFile = join(folder, 'sqlite-worker.js');
  const options = { bundle: true, platform: 'node', target: 'node24', format: 'cjs' } as const;
  buildSync({ ...options, entryPoints: [WORKER], outfile: workerFile });
  const store = await openSqliteStore({ path: join(folder, 'ipam.sqlite'), clock: SYSTEM_CLOCK, workerFile });
  const [clock, logger, meter] = [new ManualClock(), new RecordedLogger(), new RecordedMeter()];
  const current = catalogue();
  const zones = { current: () => current };
  const book = new LocalAddressBook({ record: ownRecord(store), zones, hasher: testHasher, clock });
  const services = filled(count);
  const memory = new MemoryCluster();
  memory.putNamespace('a', {});
  const controller = createServicesController({
    book,
    zones,
    clock,
    logger,
    meter,
    feed: services,
    writer: services,
    events: { newest: () => Promise.resolve(undefined) },
    cluster: services.clusterOver(memory),
    settings: { loadBalancerClasses: [], whenUnavailable: 'deny', deadlineSeconds: 8 },
  });
  for (let i = 0; i < WARM_UP; i++) await compare(controller);
  const before = services.writes.length;
  const start = process.cpuUsage();
  let looks = 0;
  for (let i = 0; i < ROUNDS; i++) looks += await compare(controller);
  const { user, system } = process.cpuUsage(start);
  controller.close();
  await store.close();
  return { micros: (user + system) / ROUNDS / count, looks, writes: services.writes.length - before };
}

async function main([words = '']: readonly string[]): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'resync-'));
  try {
    console.log(JSON.stringify(await measured(Number(words), folder)));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

void main(process.argv.slice(2));

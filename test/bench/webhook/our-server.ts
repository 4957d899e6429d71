/**
 * Our webhook as benches W1 and W2 measure it. Arguments: certificate file, key file, and what answers: `stub` (a handler
 * that does what the Go reference does), `door` (the Services door over an address book that answers from a counter) or
 * the path of a SQLite file (the full path). Prints its port.
 */
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addressFromBigInt } from '../../../operator/addressing/address';
import { hashKeyFile } from '../../../operator/backends/files/hash-key-file';
import { openHashKey } from '../../../operator/backends/system/hash-key';
import { MemoryCluster } from '../../../operator/backends/memory/memory-cluster';
import { openSqliteStore } from '../../../operator/backends/sql/sqlite/sqlite-claim-store';
import { SYSTEM_CLOCK } from '../../../operator/backends/system/system-clock';
import { parseZones } from '../../../operator/contract/zones';
import { ADMISSION_BODY_BYTES, IPAM, METALLB, WEBHOOK_PATHS } from '../../../operator/contract/group';
import { readService } from '../../../operator/contract/service';
import { accept } from '../../../operator/errors/outcome';
import type { ServicesDoorParts } from '../../../operator/front-doors/services/wanted/door-parts';
import { registerServicesDoor } from '../../../operator/front-doors/services/index';
import { annotationPatch } from '../../../operator/front-doors/services/wanted/patch';
import { allow } from '../../../operator/reviews/verdict';
import { addReviewRoute, readReviews } from '../../../operator/reviews/review-routes';
import { ownRecord } from '../../support/own-record';
import { LocalAddressBook } from '../../../operator/ledger/local-address-book';
import type { AddressBook } from '../../../operator/ports/address-book';
import type { ZoneSource } from '../../../operator/ports/zone-source';
import { createWebServer } from '../../../operator/server/https-server';
import { createLogger } from '../../../operator/telemetry/pino-logger';
import { createMeter } from '../../../operator/telemetry/prometheus-meter';

function zoneSource(): ZoneSource {
  const parsed = parseZones({ version: 1, zones: [{ name: 'bench', prefixes: ['10.0.0.0/8'] }] });
  if (!parsed.ok) throw new RangeError('the zones of the bench are not valid');
  return { current: () => parsed.value };
}

function stubBook(): AddressBook {
  let counter = 0n;
  const none = (): never => {
    throw new RangeError('the bench calls reserve and holdings only');
  };
  return {
    reserve: ({ zone, family }) => {
      counter += 1n;
      const address = addressFromBigInt(4, 0x0a000000n + (counter & 0xffffffn));
      const grant = {
        network: 'default',
        zone,
        family,
        address,
        state: 'reserved',
        holderId: String(counter),
        writtenKeys: [],
        created: true,
        sharedWith: [],
      } as const;
      return Promise.resolve(accept(grant));
    },
    holdings: () => Promise.resolve([]),
    preview: none,
    undo: () => Promise.resolve(),
    onFreed: () => () => undefined,
    check: none,
    bind: none,
    exchange: none,
    owners: none,
    unbound: none,
    releaseByUid: none,
    releaseByService: none,
    rotate: none,
    sweep: none,
  };
}

type Handler = Parameters<typeof addReviewRoute>[2]['judge'];

/** The three keys that the Go reference writes, from the same parts of the review. */
function stubHandler(): Handler {
  let counter = 0;
  return ({ object }) => {
    const service = readService(object);
    if (service === undefined) return Promise.resolve(allow('not-ours'));
    counter += 1;
    const address = `10.${(counter >> 16) & 255}.${(counter >> 8) & 255}.${counter & 255}`;
    const changes = new Map([
      [IPAM.addresses, address],
      [METALLB.addresses, address],
      [METALLB.pool, service.annotations[IPAM.zone]],
    ]);
    return Promise.resolve({ allowed: true, because: 'served', patch: annotationPatch(service, changes) });
  };
}

async function fullBook(path: string, zones: ZoneSource): Promise<AddressBook> {
  const store = await openSqliteStore({ path, clock: SYSTEM_CLOCK });
  const hasher = await openHashKey(hashKeyFile(join(mkdtempSync(join(tmpdir(), 'ipam-bench-key-')), 'key')), {
    mayCreate: true,
  });
  // all Services of the bench are in one namespace, which nobody binds meanwhile
  const record = ownRecord(store);
  return new LocalAddressBook({ record, zones, hasher, clock: SYSTEM_CLOCK, maxReservedInNamespace: 1_000_000 });
}

async function main([certificate = '', key = '', mode = 'stub']: readonly string[]): Promise<void> {
  const pair = { certificate: readFileSync(certificate, 'utf8'), key: readFileSync(key, 'utf8') };
  // as in production at level "warn": a line for each admitted Service is the owner's choice, not the path's cost
  const logger = createLogger({ level: 'warn', clock: SYSTEM_CLOCK });
  const fixed = {
    current: () => pair,
    onChange: () => () => undefined,
    problem: () => undefined,
    close: () => undefined,
  };
  const server = createWebServer({
    bodyLimitBytes: ADMISSION_BODY_BYTES,
    clock: SYSTEM_CLOCK,
    logger,
    meter: createMeter(),
    certificate: fixed,
  });
  const zones = zoneSource();
  const world = { zones, cluster: new MemoryCluster(), clock: SYSTEM_CLOCK, logger, meter: createMeter() };
  if (mode === 'stub') {
    server.app.register((scope, _options, done) => {
      readReviews(scope, world);
      addReviewRoute(scope, world, { path: WEBHOOK_PATHS.mutate, subject: 'service', judge: stubHandler() });
      done();
    });
  } else {
    const settings: ServicesDoorParts['settings'] = {
      loadBalancerClasses: [],
      whenUnavailable: 'deny',
      deadlineSeconds: 8,
    };
    const book = mode === 'door' ? stubBook() : await fullBook(mode, zones);
    registerServicesDoor(server.app, { ...world, book, settings });
  }
  console.log((await server.listen({ host: '127.0.0.1', port: 0 })).port);
}

void main(process.argv.slice(2));

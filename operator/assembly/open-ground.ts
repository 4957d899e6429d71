import { openZoneFile } from '../backends/files/zone-file';
import { IpamError } from '../errors/ipam-error';
import { ownRecord, type LedgerRecord } from '../ledger/records/ledger-context';
import { openOutside, type Outside } from './netbox';
import type { OutsideSource } from '../ports/outside-source';
import type { RecordView } from '../ports/store';
import type { SecretHasher } from '../ports/secret-hasher';
import { isFar, isRemote, type ClaimsRecord } from './record';
import type { FarRecord } from './remote-v3';
import type { HealthCheck } from '../server/health';
import type { Settings } from '../settings/options';
import type { Ground } from './surroundings';
import type { Tools } from '../ports/tools';
import { networkGuard } from '../ledger/guards/zone-guard';
import { withDefaultZone } from '../ledger/gauges/zone-gauges';

/** Whoever ends what was opened. */
interface Opened {
  add<T>(part: T, end: (part: T) => Promise<void> | void): T;
}

/** What the rest of a start stands on. */
export interface OpenGround {
  readonly ground: Ground;
  /** The record itself, without what is put in front of it. */
  readonly record: RecordView;
  /** For the ledger; absent where another operator keeps the record. */
  readonly claims?: LedgerRecord;
  /** What must be well with an outside source before the process is ready. */
  readonly checks: readonly HealthCheck[];
  /** Absent where no outside source is set. */
  readonly source?: OutsideSource;
}

/** Where secrets go to another operator as they are, nothing is hashed here, so there is no key either. */
const NO_KEY: SecretHasher = {
  hash: () => {
    throw new IpamError('internal', 'secrets are hashed by the operator that keeps the record');
  },
  fingerprint: '',
};

/**
 * Opens the zones and what stands beside the record.
 *
 * @param settings - zones file, outside source
 * @param open - the record, and the tools
 * @param opened - ends what is opened
 * @returns what the surroundings and the ledger are made on
 * @throws IpamError with the code of what is wrong
 */
export async function openGround(
  settings: Settings,
  open: { readonly kept: ClaimsRecord; readonly tools: Tools },
  opened: Opened,
): Promise<OpenGround> {
  const { kept, tools } = open;
  const path = settings.zonesFile;
  const close = (each: { close(): Promise<void> | void }): Promise<void> | void => each.close();
  if (isFar(kept)) {
    // claims stay in the networks of the zones of the other operator, whose guard looks at them
    const file = opened.add(await openZoneFile({ path, objections: () => Promise.resolve([]), ...tools }), close);
    const zones = withDefaultZone(file, settings.defaultZone);
    const ground = { ...tools, settings, zones, store: kept.view, hashing: NO_KEY };
    return { ground, record: kept.view, checks: [] };
  }
  const record = kept.store;
  const file = opened.add(await openZoneFile({ path, objections: networkGuard(record), ...tools }), close);
  const { outside, claims } = await besideRecord(settings, kept, { ...tools, zones: file });
  opened.add(outside, close);
  const { store, checks, source } = outside;
  // an outside source needs a store that keeps rows for it, which no other record with work of its own is
  const { leaderWork, disputes } = isRemote(kept) ? kept : outside;
  const zones = withDefaultZone(outside.zones, settings.defaultZone);
  const work = { ...(leaderWork === undefined ? {} : { leaderWork }), ...(disputes === undefined ? {} : { disputes }) };
  const ground = {
    ...tools,
    settings,
    zones,
    store,
    hashing: isRemote(kept) ? kept.hasher : { keyOf: kept.store },
    ...work,
  };
  return { ground, record, claims, checks, ...(source === undefined ? {} : { source }) };
}

async function besideRecord(
  settings: Settings,
  kept: Exclude<ClaimsRecord, FarRecord>,
  ground: Tools & Pick<Ground, 'zones'>,
): Promise<{ readonly outside: Outside<RecordView>; readonly claims: LedgerRecord }> {
  if (isRemote(kept)) {
    const outside = await openOutside(settings, { ...ground, store: kept.store });
    return { outside, claims: { claims: outside.store, counts: outside.store } };
  }
  const outside = await openOutside(settings, { ...ground, store: kept.store });
  return { outside, claims: ownRecord(outside.store, outside.foreign) };
}

import { openZoneFile } from '../backends/files/zone-file';
import { IpamError } from '../errors/ipam-error';
import { openOutside } from './netbox';
import type { ClaimStore } from '../ports/claim-store';
import type { OutsideSource } from '../ports/outside-source';
import type { RecordView } from '../ports/record-view';
import type { SecretHasher } from '../ports/secret-hasher';
import { isFar, type ClaimsRecord } from './record';
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
  readonly claims?: ClaimStore;
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
  const outside = opened.add(await openOutside(settings, { ...tools, store: record, zones: file }), close);
  const { store, checks, source } = outside;
  // an outside source needs a store that keeps rows for it, which no other record with work of its own is
  const { leaderWork, disputes } = source === undefined ? kept : outside;
  const zones = withDefaultZone(outside.zones, settings.defaultZone);
  const work = { ...(leaderWork === undefined ? {} : { leaderWork }), ...(disputes === undefined ? {} : { disputes }) };
  const ground = { ...tools, settings, zones, store, hashing: kept.hasher ?? { keyOf: store }, ...work };
  return { ground, record, claims: store, checks, ...(source === undefined ? {} : { source }) };
}

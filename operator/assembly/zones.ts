import { openZoneFile } from '../backends/files/zone-file';
import { NO_ZONES } from '../contract/zones';
import { withDefaultZone } from '../ledger/gauges/zone-gauges';
import { LargeBlocks } from '../ledger/occupied/large-blocks';
import { foreignInLargeBlocks, withoutLargeBlocks } from '../ledger/occupied/without-large-blocks';
import { networkGuard } from '../ledger/guards/zone-guard';
import type { OutsideSource } from '../ports/outside-source';
import type { Tools } from '../ports/tools';
import type { ZoneSource } from '../ports/zone-source';
import type { HealthCheck } from '../server/health';
import type { Settings } from '../settings/options';
import type { OpenedClaims } from './claims';
import { openOutside, type OutsideSettings } from './netbox';

/** The zones in force, and the claims behind the outside source, where one is set. */
export interface OpenedZones {
  readonly zones: ZoneSource;
  /** The claims as everything after this step uses them. */
  readonly claims: OpenedClaims;
  /** Prefixes of other doors that the claims keep out of; absent where they are kept elsewhere. */
  readonly largeBlocks?: LargeBlocks;
  /** Checks of the outside source, before the process is ready. */
  readonly checks: readonly HealthCheck[];
  /** Absent where none is set. */
  readonly outside?: OutsideSource;
  close(): Promise<void>;
}

type ZoneSettings = OutsideSettings & Pick<Settings, 'zonesFile' | 'defaultZone'>;

/**
 * Opens the zones, and the outside source that adds to them.
 *
 * @param settings - zones file, default zone, outside source
 * @param claims - as they were opened
 * @param tools - clock, logger, meter
 * @returns the zones, and the claims to go on with
 * @throws IpamError with the code of what is wrong; what was opened until then is closed again
 */
export async function openZones(settings: ZoneSettings, claims: OpenedClaims, tools: Tools): Promise<OpenedZones> {
  const { zonesFile: path, defaultZone } = settings;
  if (claims.kind === 'none')
    return { zones: { current: () => NO_ZONES }, claims, checks: [], close: () => Promise.resolve() };
  if (claims.kind === 'remote') {
    // claims stay in the networks of the zones of the other operator, whose guard looks at them
    const file = await openZoneFile({ path, objections: () => Promise.resolve([]), ...tools });
    return { zones: withDefaultZone(file, defaultZone), claims, checks: [], close: async () => file.close() };
  }
  const file = await openZoneFile({ path, objections: networkGuard(claims.store), ...tools });
  try {
    const { close, ...outside } = await openOutside(settings, { claims, zones: file, tools });
    const inForce = withDefaultZone(outside.zones, defaultZone);
    const largeBlocks = new LargeBlocks(inForce);
    const store = withoutLargeBlocks(outside.claims.store, largeBlocks);
    const foreign = foreignInLargeBlocks(outside.claims.foreign, largeBlocks);
    return {
      ...outside,
      zones: inForce,
      claims: { ...outside.claims, store, foreign },
      largeBlocks,
      close: async () => {
        await close();
        await file.close();
      },
    };
  } catch (thrown) {
    await file.close();
    throw thrown;
  }
}

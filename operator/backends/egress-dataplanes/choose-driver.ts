import { DATAPLANE_KINDS } from '../../contract/egress-dataplanes';
import type { DataplaneChoice } from '../../ports/egress-dataplane';
import { isServed, type ClusterFacts } from './shared/cluster-facts';
import type { DataplaneDriver } from './shared/driver';

/** The driver of an EgressIPAM, or why it has none. */
export type DriverChoice =
  Exclude<DataplaneChoice, { kind: 'driver' }> | { readonly kind: 'driver'; readonly driver: DataplaneDriver };

/**
 * Chooses the driver of an EgressIPAM.
 *
 * @param asked - `spec.dataplane`; `auto` where it is absent
 * @param drivers - those that the settings switch on
 * @param facts - of the cluster
 * @returns the one that is asked for; with `auto` the one that OpenShift names, or else the one that runs
 */
export function chooseDriver(asked: string, drivers: readonly DataplaneDriver[], facts: ClusterFacts): DriverChoice {
  if (asked === 'none') return { kind: 'none' };
  if (asked !== 'auto') return askedFor(asked, drivers, facts);
  return facts.networkType === undefined ? running(drivers, facts) : named(facts.networkType, drivers, facts);
}

const isThere = (driver: DataplaneDriver, facts: ClusterFacts): boolean =>
  DATAPLANE_KINDS[driver.name].needed.every((kind) => isServed(kind, facts));

function askedFor(asked: string, drivers: readonly DataplaneDriver[], facts: ClusterFacts): DriverChoice {
  const driver = drivers.find(({ name }) => name === asked);
  if (driver === undefined) return missing('DataplaneAbsent', `spec.dataplane asks for ${asked}, ${SWITCH_ON}`);
  if (isThere(driver, facts)) return { kind: 'driver', driver };
  const kinds = DATAPLANE_KINDS[driver.name].needed
    .map(({ kind, apiVersion }) => `${kind} of ${apiVersion}`)
    .join(' and ');
  return missing('DataplaneAbsent', `spec.dataplane asks for ${asked}, and the cluster does not serve ${kinds}`);
}

function named(networkType: string, drivers: readonly DataplaneDriver[], facts: ClusterFacts): DriverChoice {
  const driver = drivers.find((each) => each.networkType === networkType);
  if (driver !== undefined) return askedFor(driver.name, drivers, facts);
  return missing('NoDriver', `the network of the cluster is ${networkType}, ${SWITCH_ON}`);
}

function running(drivers: readonly DataplaneDriver[], facts: ClusterFacts): DriverChoice {
  const found = drivers.filter((driver) => isThere(driver, facts) && driver.isRunning(facts));
  const [driver, ...others] = found;
  if (driver === undefined) {
    const on =
      drivers.length === 0 ? 'none is switched on' : `looked for ${drivers.map(({ name }) => name).join(', ')}`;
    return missing(
      'NoDriver',
      `no dataplane was found (${on}); spec.dataplane: none says that addresses alone are meant`,
    );
  }
  if (others.length === 0) return { kind: 'driver', driver };
  const names = found.map(({ name }) => name).join(' and ');
  return missing('DataplaneAmbiguous', `the cluster has ${names}; spec.dataplane has to say which`);
}

const SWITCH_ON = 'for which no driver is switched on (egress.dataplanes, --egress-dataplanes)';

const missing = (reason: Extract<DataplaneChoice, { kind: 'missing' }>['reason'], message: string): DriverChoice => ({
  kind: 'missing',
  reason,
  message,
});

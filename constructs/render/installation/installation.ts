import { App, Chart } from 'cdk8s';

import { IpamOperator } from '../../operator/ipam-operator';
import type { IpamOperatorProps } from '../../operator/ipam-operator-props';
import type { OperatorZone } from '../../operator/zones/zone-pools-props';

/**
 * Zone of an installation whose addresses are not named yet. They are routed nowhere (RFC 5737), no Service gets one unasked
 * since the zone is not the default, and the name says what to do with it.
 */
export const EXAMPLE_ZONES: readonly OperatorZone[] = [{ name: 'example', prefixes: ['192.0.2.0/24'] }];

/** Props in which an installation differs from the default one. */
export type InstallationProps = Partial<IpamOperatorProps>;

/** Installation that serves `IPGroup`s and nothing else. */
export const VIPS_ALONE: InstallationProps = { zones: [], services: { enabled: false }, vips: { enabled: true } };

/** Installation that serves `NetworkInstance`s and nothing else. */
export const NETWORKS_ALONE: InstallationProps = {
  zones: [],
  services: { enabled: false },
  networks: { enabled: true },
};

/** Installation that serves `EgressIPAM`s and nothing else. */
export const EGRESS_ALONE: InstallationProps = {
  zones: [],
  services: { enabled: false },
  egress: { enabled: true },
  certificates: 'self-managed',
};

/**
 * Builds the installation of which every rendered form is made.
 *
 * @param props - what differs from a default installation
 * @returns a chart with the operator in it
 */
export function installation(props: InstallationProps = {}): Chart {
  const app = new App();
  const chart = new Chart(app, 'installation');
  new IpamOperator(chart, 'operator', { zones: EXAMPLE_ZONES, ...props });
  return chart;
}

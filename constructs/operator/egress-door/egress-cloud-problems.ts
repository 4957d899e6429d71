import type { Refusal } from '../../../operator/errors/outcome';
import { cloudProblems } from '../../../operator/settings/egress-options';
import { cloudOf } from './egress-cloud';
import type { EgressDoorOwner } from './egress-door-owner';

/**
 * Checks the cloud of the Egress door as the operator does at its start.
 *
 * @param props - of the installation
 * @returns every problem at once
 */
export function egressCloudProblems(props: EgressDoorOwner): readonly Refusal[] {
  const { provider = 'none', region = '', secret = '' } = cloudOf(props) ?? {};
  return cloudProblems(
    { egressCloud: provider, egressCloudRegion: region, egressCloudSecret: secret },
    {
      egressCloud: 'egress.cloud.provider',
      egressCloudRegion: 'egress.cloud.region',
      egressCloudSecret: 'egress.cloud.secret',
    },
  );
}

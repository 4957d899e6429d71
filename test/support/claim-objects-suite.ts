import { describeDeaths } from './claim-objects-deaths';
import { describeLateWatches } from './claim-objects-late';
import { describeOthers } from './claim-objects-others';
import { describeProcesses } from './claim-objects-processes';
import { claimScene, type ClaimServer } from './claim-objects-scene';

/**
 * Behaviour of claims as cluster objects beyond the contract of claims: several processes, late ones, and processes that die.
 *
 * @param server - an empty one for each test
 */
export function claimObjectsSuite(server: () => ClaimServer): void {
  const scene = claimScene(server);
  describeProcesses(scene);
  describeLateWatches(scene);
  describeDeaths(scene);
  describeOthers(scene);
}

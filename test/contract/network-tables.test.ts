import type { ClaimServer } from '../support/claim-objects-scene';
import { networkTablesSuite } from '../support/network-tables-suite';
import { claimServer, standingClock } from '../support/open-claim-objects';

describe('network tables as cluster objects', () => {
  let server: ClaimServer;
  beforeEach(() => {
    const clock = standingClock();
    server = { client: claimServer(clock), clock };
  });
  networkTablesSuite(() => server);
});

import type { ClaimObjectStore } from '../../operator/backends/claim-objects/claim-objects';
import { claimObjectsSuite, type ClaimServer } from '../support/claim-objects-suite';
import { claimsSuite, contract } from '../support/claims-suite';
import { CLAIM_OBJECT_PARTS, claimServer, openMemoryClaims, standingClock } from '../support/open-claim-objects';
import type { OpenStore } from '../support/store-under-test';

contract<OpenStore<ClaimObjectStore>>('claims', { 'cluster objects': openMemoryClaims() }, (open) => {
  claimsSuite(open, CLAIM_OBJECT_PARTS);
});

describe('claims as cluster objects', () => {
  let server: ClaimServer;
  beforeEach(() => {
    const clock = standingClock();
    server = { client: claimServer(clock), clock };
  });
  claimObjectsSuite(() => server);
});

import type { ClaimServer } from '../support/claim-objects-scene';
import { claimObjectsSuite } from '../support/claim-objects-suite';
import { describeBindAndRelease } from '../support/claims-changes';
import { describeLimits } from '../support/claims-limits';
import { describePairs } from '../support/claims-pairs';
import { describeQuarantine } from '../support/claims-quarantine';
import { describeQueries } from '../support/claims-queries';
import { ipsSuite, openMemoryIps } from '../support/ips-suite';
import { claimsSuite, contract, subjectOf } from '../support/claims-suite';
import { describeTake } from '../support/claims-takes';
import {
  CLAIM_OBJECT_PARTS,
  claimServer,
  openMemoryClaims,
  standingClock,
  type TableClaimStore,
} from '../support/open-claim-objects';
import type { OpenStore } from '../support/store-under-test';

contract<OpenStore<TableClaimStore>>('claims', { 'cluster objects': openMemoryClaims() }, (open) => {
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

// Holders of such a network are not exchanged, and prefixes that overlap have no common name to lock.
contract<OpenStore<TableClaimStore>>(
  'claims',
  { 'cluster objects without a table': openMemoryClaims({ nested: false }) },
  (open) => {
    const subject = subjectOf(open);
    describeTake(subject);
    describePairs(subject, CLAIM_OBJECT_PARTS);
    describeQuarantine(subject);
    describeBindAndRelease(subject);
    describeQueries(subject);
    describeLimits(subject, CLAIM_OBJECT_PARTS);
  },
);

// What `--vips` serves: its network has no table, and several holders share one object.
contract<OpenStore<TableClaimStore>>('claims', { IPs: openMemoryIps() }, ipsSuite);

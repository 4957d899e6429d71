import type { ClaimChange } from '../../operator/ports/claims';
import type { OwnStore } from '../../operator/ports/store';
import { describeBindAndRelease } from './claims-changes';
import { describeExchange } from './claims-exchange';
import { describeJoins } from './claims-joins';
import { describeLimits } from './claims-limits';
import { describePairs } from './claims-pairs';
import { describePeek } from './claims-peek';
import { describePrefixes } from './claims-prefixes';
import { describeQuarantine } from './claims-quarantine';
import { describeQueries } from './claims-queries';
import { describeServiceParts } from './claims-services';
import { describeTake } from './claims-takes';
import {
  EVERY_PART,
  type ClaimParts,
  type ClaimStore,
  type OpenStore,
  type StoreUnderTest,
  type Subject,
} from './store-under-test';

/**
 * Runs the contract of a port for each of its implementations.
 *
 * @param port - name of the port
 * @param implementations - how each one is opened, by its name
 * @param suite - the tests
 */
export function contract<T>(
  port: string,
  implementations: Readonly<Record<string, T>>,
  suite: (implementation: T) => void,
): void {
  describe.each(Object.entries(implementations))(`${port}: %s`, (_name, implementation) => {
    suite(implementation);
  });
}

/**
 * Opens a store anew for each test.
 *
 * @param open - opens an empty store
 * @returns the store of the running test
 */
export function subjectOf<S extends ClaimStore = OwnStore>(open: OpenStore<S>): Subject<S> {
  let opened: StoreUnderTest<S>;
  let changes: ClaimChange[];
  beforeEach(async () => {
    opened = await open();
    changes = [];
    opened.store.watch((change) => changes.push(change));
  });
  afterEach(async () => {
    await opened.dispose();
  });
  return {
    get store() {
      return opened.store;
    },
    get clock() {
      return opened.clock;
    },
    get reopen() {
      return opened.reopen;
    },
    get changes() {
      return changes;
    },
  };
}

/**
 * Everything that `ports/claims` promises.
 *
 * @param open - opens an empty store
 * @param has - which optional parts of a claim it keeps
 */
export function claimsSuite<S extends ClaimStore>(open: OpenStore<S>, has: ClaimParts = EVERY_PART): void {
  const subject = subjectOf(open);
  describeTake(subject, has);
  describePairs(subject, has);
  describeQuarantine(subject);
  describeBindAndRelease(subject, has);
  if (has.exchanges) describeExchange(subject);
  describeQueries(subject, has);
  if (has.previews) describePeek(subject, has);
  if (has.limits) describeLimits(subject, has);
  if (has.prefixes) describePrefixes(subject, has);
  if (has.joins) describeJoins(subject, has);
  if (has.services) describeServiceParts(subject);
}

import type { ClaimChange } from '../../operator/ports/claim-store';
import { describeArchive } from './claim-store-archive';
import { describeBindAndRelease } from './claim-store-changes';
import { describeQueries } from './claim-store-queries';
import { describeTake } from './claim-store-takes';
import type { OpenStore, StoreUnderTest, Subject } from './store-under-test';

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
 * Everything that `ports/claim-store` promises.
 *
 * @param open - opens an empty store
 */
export function claimStoreSuite(open: OpenStore): void {
  let opened: StoreUnderTest;
  let changes: ClaimChange[];
  beforeEach(async () => {
    opened = await open();
    changes = [];
    opened.store.watch((change) => changes.push(change));
  });
  afterEach(async () => {
    await opened.dispose();
  });
  const subject: Subject = {
    get store() {
      return opened.store;
    },
    get reopen() {
      return opened.reopen;
    },
    get changes() {
      return changes;
    },
  };
  describeTake(subject);
  describeBindAndRelease(subject);
  describeQueries(subject);
  describeArchive(subject);
}

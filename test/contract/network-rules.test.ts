import fc from 'fast-check';

import { claimScene, type ClaimServer } from '../support/claim-objects-scene';
import { networkStep, takeStep } from '../support/network-programs';
import { NetworksModel } from '../support/networks-model';
import { claimServer, standingClock } from '../support/open-claim-objects';

const NET = 'default';

describe('the rules of networks over claim objects', () => {
  let server: ClaimServer;
  beforeEach(() => {
    const clock = standingClock();
    server = { client: claimServer(clock), clock };
  });
  const scene = claimScene(() => server);

  test('any program leaves the entries that it leaves in the table of plans', async () => {
    const programs = fc.sample(fc.array(networkStep, { minLength: 10, maxLength: 25 }), { numRuns: 12, seed: 16 });
    for (const steps of programs) {
      const clock = standingClock();
      server = { client: claimServer(clock), clock };
      const store = await scene.process();
      const model = new NetworksModel();
      let made = 0;
      for (const step of steps) {
        takeStep(model, step);
        for (const decide of model.decisions.slice(made)) await store.decide(NET, decide);
        made = model.decisions.length;
        const plain = model.table.entries().map(({ version: _version, takenAtMs: _taken, ...entry }) => entry);
        const stored = store
          .page(NET, { most: 100 })
          .map(({ version: _version, takenAtMs: _taken, ...entry }) => entry);
        expect(stored).toEqual(plain);
      }
    }
  }, 60_000);
});

import { addressOf } from '../../../operator/addressing/address';
import type { DoorOccupancy } from '../../../operator/assembly/door';
import { occupancyOf } from '../../../operator/assembly/open-in-use';
import { shownByServices } from '../../../operator/assembly/showing-feeds';
import { ListedObjects } from '../../support/listed-objects';

const FREED = { network: 'default', zone: 'z', address: addressOf('10.0.0.1'), freeAtMs: 0 };

class TestOccupancy implements DoorOccupancy {
  readonly told: string[] = [];
  readonly shows = [shownByServices(new ListedObjects(), [])];
  adopt: () => void = () => undefined;
  #adopted = false;
  readonly #whenAdopted = new Promise<void>((resolve) => {
    this.adopt = () => {
      this.#adopted = true;
      resolve();
    };
  });

  isAdopted = (): boolean => this.#adopted;
  whenAdopted = (): Promise<void> => this.#whenAdopted;
  onFree = ({ address }: typeof FREED): void => void this.told.push(`free ${address.toString()}`);
  onSpace = (): void => void this.told.push('space');
  onMet = (claims: readonly unknown[]): void => void this.told.push(`met ${claims.length}`);
}

describe('what several doors watch, taken as one', () => {
  test('is adopted once each of them is', async () => {
    const [one, two] = [new TestOccupancy(), new TestOccupancy()];
    const all = occupancyOf([one, two]);
    let known = false;
    const adopted = all.whenAdopted().then(() => (known = true));
    one.adopt();
    await new Promise(setImmediate);
    expect([all.isAdopted(), known]).toEqual([false, false]);
    two.adopt();
    await adopted;
    expect(all.isAdopted()).toBe(true);
  });

  test('shows what each of them shows, and tells each of them everything', () => {
    const [one, two] = [new TestOccupancy(), new TestOccupancy()];
    const all = occupancyOf([one, two]);
    expect(all.shows).toEqual([...one.shows, ...two.shows]);
    all.onFree(FREED);
    all.onSpace();
    all.onMet([]);
    expect([one.told, two.told]).toEqual([
      ['free 10.0.0.1', 'space', 'met 0'],
      ['free 10.0.0.1', 'space', 'met 0'],
    ]);
  });
});

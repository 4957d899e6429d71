import type { ClaimVerb } from '../../../../operator/backends/claim-objects/claim-verb';
import { VerbQueue } from '../../../../operator/backends/claim-objects/verb-queue';

const verb = (value: string): ClaimVerb<string> => ({ decide: () => ({ as: 'answer', value }) });

describe('VerbQueue', () => {
  test('waits for a call that is decided again although the one behind it is answered', async () => {
    const told: string[] = [];
    let go: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => (go = resolve));
    const queue = new VerbQueue(async ([first, second]) => {
      if (second !== undefined) {
        second.accept('second');
        return first === undefined ? [] : [first];
      }
      await gate;
      first?.accept('first');
      return [];
    });
    const [first, second] = [queue.run(verb('first')), queue.run(verb('second'))];
    const answered = queue.answered().then(() => told.push('answered'));
    await second;
    await new Promise((resolve) => setImmediate(resolve));
    expect(told).toEqual([]);
    go();
    await Promise.all([first, answered]);
    expect(told).toEqual(['answered']);
  });

  test('waits for a call that fails, without failing', async () => {
    const queue = new VerbQueue(() => Promise.reject(new RangeError('no')));
    const call = queue.run(verb('a'));
    await expect(Promise.all([queue.answered(), call])).rejects.toThrow('no');
    await expect(queue.answered()).resolves.toBeUndefined();
  });
});

import { DueKeys } from '../../../operator/runtime/due-keys';
import { ManualClock } from '../../support/manual-clock';

describe('DueKeys', () => {
  const scene = () => {
    const clock = new ManualClock(0);
    const woken: string[] = [];
    const due = new DueKeys<string>(clock, 500, (key) => {
      woken.push(key);
    });
    return { clock, woken, due };
  };

  test('tells an object once for all changes within the pause, and again for a later one', () => {
    const { clock, woken, due } = scene();
    for (const id of ['a', 'b', 'a']) due.add(id, `work of ${id}`);
    clock.advance(499);
    expect(woken).toEqual([]);
    clock.advance(1);
    expect(woken).toEqual(['work of a', 'work of b']);
    due.add('a', 'work of a');
    clock.advance(500);
    expect(woken).toEqual(['work of a', 'work of b', 'work of a']);
  });

  test('tells an object after a pause of its own', () => {
    const { clock, woken, due } = scene();
    due.add('a', 'work of a', 2_000);
    due.add('b', 'work of b', 100);
    clock.advance(100);
    expect(woken).toEqual(['work of b']);
    clock.advance(1_900);
    expect(woken).toEqual(['work of b', 'work of a']);
  });

  test('tells nothing after its end', () => {
    const { clock, woken, due } = scene();
    due.add('a', 'work of a');
    due.close();
    clock.advance(500);
    expect(woken).toEqual([]);
  });
});

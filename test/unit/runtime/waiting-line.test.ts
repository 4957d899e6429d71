import { WaitingLine } from '../../../operator/runtime/waiting-line';
import { RecordedMeter } from '../../support/recorded-telemetry';

function line() {
  const waiting = new WaitingLine<string, number>({ meter: new RecordedMeter(), gauge: 'vip_services_waiting' });
  const woken: string[] = [];
  waiting.onWake((key) => woken.push(key));
  const park = (key: string, since?: number) => {
    waiting.add(key, { key, createdMs: 0, wants: 1, reason: 'NoFreeAddress' }, since);
  };
  return { waiting, woken, park };
}

describe('WaitingLine', () => {
  test('wakes an object at once for a change that came between its look and its place in the line', () => {
    const { waiting, woken, park } = line();
    const since = waiting.mark();
    waiting.offer((wants) => wants === 1);
    park('a', since);
    expect(woken).toEqual(['a']);
  });

  test('wakes it not for a change of before, nor for one that helps it not', () => {
    const { waiting, woken, park } = line();
    waiting.wakeWhere((wants) => wants === 1);
    const since = waiting.mark();
    waiting.wakeWhere((wants) => wants === 2);
    park('a', since);
    park('b');
    expect(woken).toEqual([]);
  });

  test('has an object looked at again where more changes came than are kept', () => {
    const { waiting, woken, park } = line();
    const since = waiting.mark();
    for (let count = 0; count < 10_000; count++) waiting.wakeWhere((wants) => wants === 2);
    park('a', since);
    expect(woken).toEqual(['a']);
  });
});

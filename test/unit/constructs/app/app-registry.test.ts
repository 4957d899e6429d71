import { App, Chart } from 'cdk8s';
import { Construct } from 'constructs';

import { AppRegistry } from '../../../../constructs/app/app-registry';
import { parseBlock, type Range } from '../../../../operator/addressing/range';

interface Thing {
  readonly construct: Construct;
  readonly name: string;
}

const range = (text: string): Range => {
  const parsed = parseBlock(text);
  if (!parsed.ok) throw new RangeError(text);
  return parsed.value;
};
const spaceOf = (...texts: readonly string[]) => ({ of: 'default', ranges: texts.map(range) });
const names = (things: readonly Thing[]): readonly string[] => things.map(({ name }) => name);

describe('AppRegistry', () => {
  const world = () => {
    const registry = new AppRegistry<Thing>();
    const app = new App();
    const thing = (name: string, scope: Construct = new Chart(app, name)): Thing => ({ construct: scope, name });
    return { registry, app, thing };
  };

  test('finds what was declared before under a key, in any chart of the app', () => {
    const { registry, thing } = world();
    const things = ['a', 'b', 'c'].map((name) => thing(name));
    things.forEach((each) => {
      registry.register(each, { keys: ['k'] });
    });
    expect(things.map((each) => names(registry.earlierAt(each, 'k')))).toEqual([[], ['a'], ['a', 'b']]);
    expect(registry.earlierAt(things[2]!, 'other')).toEqual([]);
    expect(names(registry.all(things[0]!.construct))).toEqual(['a', 'b', 'c']);
  });

  test('finds nothing that was taken out of its app with all that is around it', () => {
    const { registry, app, thing } = world();
    const gone = thing('gone', new Construct(new Chart(app, 'refused'), 'inside'));
    const [kept, last] = [thing('kept'), thing('last')];
    for (const each of [gone, kept, last]) registry.register(each, { keys: ['k'], space: spaceOf('192.0.2.0/28') });
    expect(names(registry.all(last.construct))).toEqual(['gone', 'kept', 'last']);
    app.node.tryRemoveChild('refused');
    expect(names(registry.all(last.construct))).toEqual(['kept', 'last']);
    expect(names(registry.earlierAt(last, 'k'))).toEqual(['kept']);
    expect(names(registry.earlierIn(last, spaceOf('192.0.2.0/28')))).toEqual(['kept']);
  });

  test('finds whose addresses overlap, around, equal or inside, each once and in the order of declaration', () => {
    const { registry, thing } = world();
    const inside = thing('inside');
    registry.register(inside, { space: spaceOf('10.0.0.8/30', '10.0.0.4-10.0.0.6') });
    registry.register(thing('apart'), { space: spaceOf('10.0.1.0/24') });
    registry.register(thing('around'), { space: spaceOf('10.0.0.0/24') });
    registry.register(thing('elsewhere'), { space: { of: 'other', ranges: [range('10.0.0.0/24')] } });
    const last = thing('last');
    registry.register(last, { space: spaceOf('10.0.0.0/28') });
    expect(names(registry.earlierIn(last, spaceOf('10.0.0.0/28')))).toEqual(['inside', 'around']);
    expect(registry.earlierIn(inside, spaceOf('10.0.0.8/30'))).toEqual([]);
  });

  test('tells apps apart', () => {
    const { registry, thing } = world();
    registry.register(thing('a'), { keys: ['k'], space: spaceOf('10.0.0.0/24') });
    const other = thing('b', new Chart(new App(), 'b'));
    registry.register(other, { keys: ['k'], space: spaceOf('10.0.0.0/24') });
    expect([registry.earlierAt(other, 'k'), registry.earlierIn(other, spaceOf('10.0.0.0/24'))]).toEqual([[], []]);
    expect(names(registry.all(other.construct))).toEqual(['b']);
  });
});

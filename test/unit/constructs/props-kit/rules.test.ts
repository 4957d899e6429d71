import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

import { OPERATOR } from '../../../../constructs/operator/operator-rules';
import { props } from '../../../../constructs/props-kit/containers';
import { METALLB_POOL, ZONE_POOL } from '../../../../constructs/metallb/pool-rules';
import { needed, type Judge } from '../../../../constructs/props-kit/rule';
import { CLAIM } from '../../../../constructs/kinds/address-claim-rules';
import { SERVICE } from '../../../../constructs/service/service-rules';
import { FLAG, text, word } from '../../../../constructs/props-kit/values';

interface Sample {
  readonly name: string;
  readonly mode?: 'a' | 'b';
}

describe('the rules of an interface', () => {
  // `npm run types` compiles this file: each line below stops it where the compiler would let a rule and its prop part ways
  test('do not compile where a prop has none, or one of another type', () => {
    const name = needed(text(), '');
    const complete = props<Sample>({ name, mode: word('a', 'b') });
    // @ts-expect-error a prop without a rule
    props<Sample>({ name });
    // @ts-expect-error a rule without a prop
    props<Sample>({ name, mode: word('a', 'b'), colour: text() });
    // @ts-expect-error a rule for another type
    props<Sample>({ name, mode: FLAG });
    // @ts-expect-error a rule that misses a word
    props<Sample>({ name, mode: word('a') });
    // @ts-expect-error a rule that takes more words
    props<Sample>({ name, mode: word('a', 'b', 'c') });
    // @ts-expect-error a prop that must be there, and a rule that lets it be absent
    props<Sample>({ name: text(), mode: word('a', 'b') });
    expect(complete.keys).toEqual(['name', 'mode']);
  });

  const reference = readFileSync(resolve(__dirname, '../../../../constructs/README.md'), 'utf8');
  const documented = (name: string): string[] => {
    const section = reference.split(`\n### ${name}\n`)[1]?.split('\n### ')[0] ?? '';
    return [...section.matchAll(/^\| `([A-Za-z0-9]+)` \|/gmu)].map(([, key = '']) => key);
  };

  test.each<[string, Judge]>([
    ['IpamOperatorProps', OPERATOR],
    ['IpamServiceProps', SERVICE],
    ['MetalLbPoolProps', METALLB_POOL],
    ['ZonePoolProps', ZONE_POOL],
    ['AddressClaimProps', CLAIM],
  ])('know the props of %s that the reference shows, and no other', (name, rule) => {
    expect(documented(name).toSorted()).toEqual([...(rule.keys ?? [])].toSorted());
    expect(rule.keys?.length).toBeGreaterThan(2);
  });
});

import type { Family } from '../../operator/addressing/address';
import { selectorProblems, type LabelSelector } from '../../operator/contract/label-selector';
import { quoteValue } from '../../operator/contract/quote';
import type { Refusal } from '../../operator/errors/outcome';
import { communityProblem, interfaceProblem, objectNameProblem } from './advertised-words';
import { chosenAdvertisements } from './advertisements';
import { localPrefProblems } from './local-pref';
import type { AdvertisedProps, BgpAdvertisementProps, L2AdvertisementProps } from './metallb-props';
import type { PoolEntry } from './pool-entries';

const WORDS = ['l2', 'bgp', 'both', 'none'];
const MAX_LOCAL_PREF = 4_294_967_295;

/**
 * Writes a refusal about the settings of a pool.
 *
 * @param field - path of the setting
 * @param text - what is wrong and what is allowed, the path not repeated
 * @returns refusal `zone/invalid`
 */
export function invalid(field: string, text: string): Refusal {
  return { code: 'zone/invalid', field, message: `${field}: ${text}` };
}

// Every entry of a list is checked, and none stands in it twice: MetalLB refuses its whole configuration then.
function listProblems(
  list: readonly string[] | undefined,
  field: string,
  problemOf: (text: string) => string | undefined,
): readonly Refusal[] {
  return (list ?? []).flatMap((text, i, all) => {
    const at = `${field}[${String(i)}]`;
    const wrong = problemOf(text);
    if (wrong !== undefined) return [invalid(at, wrong)];
    return all.indexOf(text) < i ? [invalid(at, `${quoteValue(text)} is listed twice; keep one of them`)] : [];
  });
}

function selectorsProblems(selectors: readonly LabelSelector[] | undefined, field: string): readonly Refusal[] {
  return (selectors ?? []).flatMap((selector, i, all) => {
    const at = `${field}[${String(i)}]`;
    const wrong = selectorProblems(selector).map(({ index, problem }) =>
      invalid(`${at}.matchExpressions[${String(index)}]`, problem),
    );
    const text = JSON.stringify(selector);
    const twice = all.findIndex((other) => JSON.stringify(other) === text) < i;
    return [...wrong, ...(twice ? [invalid(at, 'the selector is listed twice; keep one of them')] : [])];
  });
}

function numberProblem(
  value: number | undefined,
  field: string,
  { min, max }: { readonly min: number; readonly max: number },
): readonly Refusal[] {
  if (value === undefined || (Number.isInteger(value) && value >= min && value <= max)) return [];
  return [invalid(field, `${String(value)} is not allowed; allowed is a whole number from ${min} to ${max}`)];
}

function aggregationProblems(
  { length, field, family }: { readonly length: number | undefined; readonly field: string; readonly family: Family },
  entries: readonly PoolEntry[],
): readonly Refusal[] {
  const max = family === 4 ? 32 : 128;
  const outside = numberProblem(length, field, { min: 1, max });
  if (length === undefined || outside.length > 0) return outside;
  const small = entries.find(({ range, largestBlock }) => range.family === family && largestBlock > length);
  if (small === undefined) return [];
  const what = `${String(length)} is shorter than "${small.text}" (${small.field}), whose largest block is a /${String(small.largestBlock)}`;
  return [invalid(field, `${what}; MetalLB then refuses all its pools, allowed is ${small.largestBlock} to ${max}`)];
}

function l2Problems(settings: L2AdvertisementProps, at: string): readonly Refusal[] {
  return [
    ...listProblems(settings.interfaces, `${at}.interfaces`, interfaceProblem),
    ...selectorsProblems(settings.nodeSelectors, `${at}.nodeSelectors`),
  ];
}

function bgpProblems(settings: BgpAdvertisementProps, at: string, entries: readonly PoolEntry[]): readonly Refusal[] {
  const v4 = { length: settings.aggregationLength, field: `${at}.aggregationLength`, family: 4 } as const;
  const v6 = { length: settings.aggregationLengthV6, field: `${at}.aggregationLengthV6`, family: 6 } as const;
  return [
    ...listProblems(settings.communities, `${at}.communities`, communityProblem),
    ...numberProblem(settings.localPref, `${at}.localPref`, { min: 0, max: MAX_LOCAL_PREF }),
    ...aggregationProblems(v4, entries),
    ...aggregationProblems(v6, entries),
    ...listProblems(settings.peers, `${at}.peers`, objectNameProblem),
    ...selectorsProblems(settings.nodeSelectors, `${at}.nodeSelectors`),
  ];
}

function wordProblems(props: AdvertisedProps, inside: (key: string) => string): readonly Refusal[] {
  const { advertise, l2, bgp } = props;
  if (advertise === undefined) return [];
  const field = inside('advertise');
  if (!WORDS.includes(advertise)) {
    return [
      {
        ...invalid(field, `${quoteValue(advertise)} is not allowed; allowed is l2, bgp, both or none`),
        value: advertise,
      },
    ];
  }
  const chosen = chosenAdvertisements(props);
  const unused = [
    ...((l2 ?? []).length > 0 && chosen.l2.length === 0 ? ['l2'] : []),
    ...((bgp ?? []).length > 0 && chosen.bgp.length === 0 ? ['bgp'] : []),
  ];
  return unused.map((key) =>
    invalid(inside(key), `advertise is "${advertise}", so these settings have no effect; leave one of the two out`),
  );
}

/**
 * Checks how a pool is told to the network, by the rules of MetalLB.
 *
 * @param props - words and settings
 * @param at - path of the pool's props, empty for the props themselves
 * @param entries - what the pool holds; empty where that is not known yet
 * @returns every problem with its path
 */
export function advertisementProblems(
  props: AdvertisedProps,
  at: string,
  entries: readonly PoolEntry[],
): readonly Refusal[] {
  const inside = (key: string): string => (at === '' ? key : `${at}.${key}`);
  const { l2 = [], bgp = [] } = props;
  return [
    ...wordProblems(props, inside),
    ...l2.flatMap((settings, i) => l2Problems(settings, `${inside('l2')}[${String(i)}]`)),
    ...bgp.flatMap((settings, i) => bgpProblems(settings, `${inside('bgp')}[${String(i)}]`, entries)),
    ...localPrefProblems(bgp, inside('bgp'), entries),
  ];
}

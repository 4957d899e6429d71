import { isIn, type Address } from '../../../addressing/address';
import { quoteValue } from '../../../contract/quote';
import { catalogueRow } from '../../../errors/catalogue';
import type { Refusal } from '../../../errors/outcome';
import type { ServiceKey } from '../../../ports/service-feed';
import type { ServiceCondition } from '../../../ports/service-writer';
import type { UnrecordedReason } from './known-services';

/** Whether the status of a Service shows every address that is bound to it: `shown`, or which ones are missing and why. */
export type Announcement =
  | 'shown'
  | {
      readonly reason: typeof ANNOUNCING | typeof NOT_ANNOUNCED | typeof NO_ANNOUNCER;
      /** Bound, and not shown. */
      readonly addresses: readonly Address[];
      /** Facts, each a sentence. */
      readonly texts: readonly string[];
      /** Those of `addresses` that the status showed before, as far as the condition told; absent: none. */
      readonly lost?: readonly Address[];
      /** Other clusters that show some of `addresses`; absent: none. */
      readonly elsewhere?: readonly { readonly address: Address; readonly cluster: string }[];
    };

/** Facts that the condition of a stored Service tells. */
export type Situation =
  | {
      readonly state: 'served';
      readonly zone: string;
      readonly addresses: readonly Address[];
      /** Wishes that could not be followed although the Service has its addresses. */
      readonly notes: readonly Refusal[];
      /** Why it would not get its addresses today; it keeps them. */
      readonly against: readonly Refusal[];
      /** Addresses that its status shows although this operator did not give them. */
      readonly foreign: readonly Address[];
      readonly announcement: Announcement;
    }
  | {
      readonly state: 'waiting';
      readonly refusals: readonly [Refusal, ...Refusal[]];
      /** Addresses that are bound to it all the same. */
      readonly held: readonly Address[];
      readonly announced: readonly Address[];
      /** Those of `announced` that are of a zone of ours and not granted by the record, and the Service; absent: none. */
      readonly contested?: {
        readonly by: ServiceKey;
        readonly addresses: readonly Address[];
        /** Why the record has no place for some of them; absent: it has. */
        readonly unrecorded?: Exclude<UnrecordedReason, 'covered'>;
      };
    };

type Contested = NonNullable<(Situation & { state: 'waiting' })['contested']>;

/** A condition without the parts that depend on the time. */
export type Saying = Pick<ServiceCondition, 'status' | 'reason' | 'message'>;

/** Reason of the condition of a Service that has what it asks for. */
export const BOUND = 'Bound';

/** Reason of the condition of a Service whose addresses are bound and are expected to show in a moment. */
export const ANNOUNCING = 'Announcing';

/** Reason of the condition of a Service whose addresses are bound and do not show. */
export const NOT_ANNOUNCED = 'NotAnnounced';

/** Reason of the condition of a Service whose addresses are bound where no load balancer runs that could show them. */
export const NO_ANNOUNCER = 'NoAnnouncer';

/** Reason of the condition while the status shows an address of another claimant. */
export const FOREIGN_ADDRESS = 'ForeignAddress';

/** Parts of messages that are read again. */
const LACKS = 'status.loadBalancer does not show';
const ANY_MORE = ' any more';
const YET = ' yet';
/** A text that begins with {@link LACKS}: the addresses, and the word after them. What follows the colon may quote others. */
const LACKING = new RegExp(String.raw`^${LACKS} ("[^"]*"(?: and "[^"]*")*)(${ANY_MORE}|${YET})?(?=:|$)`, 'u');
const IS_BOUND = 'bound to this Service';
const KEEPS = 'until then the Service keeps';

const UNRECORDED: Readonly<Record<NonNullable<Contested['unrecorded']>, string>> = {
  lacking: 'the IPAM-API does not note that',
  quota: 'the IPAM-API has no room for that within the limit of this cluster (occupiedQuota)',
};

/** Longest name of a cluster that is told. */
const LONGEST_CLUSTER = 64;

/** Longest message: the API server takes 32 KiB, `kubectl describe` is for people. */
const LONGEST = 1024;
/** End of a message that was longer. */
const CUT = '…';

/**
 * Says in a condition how it stands with the addresses of a Service; pure.
 *
 * @param situation - what is known
 * @returns status, bounded reason, and a message that names field, value and the obstacle
 */
export function sayingOf(situation: Situation): Saying {
  if (situation.state === 'waiting') return waitingSaying(situation);
  const { zone, addresses, notes, foreign, against, announcement } = situation;
  const has = boundText(zone, addresses);
  const [note] = notes;
  if (note !== undefined) return said('False', reasonOf(note), [...notes.map(({ message }) => message), has]);
  const status = announcement === 'shown' ? 'True' : 'Unknown';
  const hidden = announcement === 'shown' ? [] : hiddenTexts(announcement);
  if (foreign.length > 0) {
    const shown = `status.loadBalancer shows ${listed(foreign)}, which this operator did not give; another controller writes there`;
    return said(status, FOREIGN_ADDRESS, [has, shown]);
  }
  const kept = against.map(({ message }) => `kept although ${message}`);
  if (announcement !== 'shown') return said(status, announcement.reason, [has, ...hidden, ...kept]);
  return said(status, against[0] === undefined ? BOUND : reasonOf(against[0]), [has, ...kept]);
}

function hiddenTexts(announcement: Exclude<Announcement, 'shown'>): readonly string[] {
  const { addresses, texts, lost = [], elsewhere = [] } = announcement;
  const never = addresses.filter((address) => !isIn(address, lost));
  const lacks = [
    ...(lost.length === 0 ? [] : [`${LACKS} ${listed(lost)}${ANY_MORE}`]),
    ...(never.length === 0 ? [] : [`${LACKS} ${listed(never)}${YET}`]),
  ];
  const last = lacks.pop() ?? '';
  const others = elsewhere.map(({ address, cluster }) => {
    return `cluster ${quoteValue(cluster, LONGEST_CLUSTER)} reports ${listed([address])} as in use there, which moves no Service that has it`;
  });
  return [...lacks, texts.length === 0 ? last : `${last}: ${texts.join(', ')}`, ...others];
}

/**
 * Tells whether a condition says that a Service has an address which its status showed at some time. The condition is stored with the
 * Service, so this outlives the process; where it leaves the question open, the answer is yes.
 *
 * Releases before "any more" said of what was lost and of what never showed that it does not show, without a word after it. The safe side is
 * that it showed: a claim too many stays where something else has the address, until its Service names another one, while the other side
 * would take away an address that clients know.
 *
 * @param condition - of a stored Service, undefined where it has none
 * @param address - bound to it
 * @returns false where nothing was told of the address yet, or only that it does not show yet
 */
export function wasShown(condition: Saying | undefined, address: Address): boolean {
  const texts = condition?.message.split('; ') ?? [];
  for (const text of texts) {
    const [, addresses = '', word] = LACKING.exec(text) ?? [];
    if (addresses.includes(listed([address]))) return word !== YET;
  }
  // the end of a long message is not there to be read
  if (condition?.message.endsWith(CUT) === true) return true;
  const named = texts.filter((text) => !text.startsWith(LACKS) && text.includes(listed([address])));
  return named.some((text) => text.includes(IS_BOUND) || text.startsWith(KEEPS));
}

/**
 * Tells whether a condition says that a Service has addresses.
 *
 * @param condition - of a stored Service, undefined where it has none
 * @param zone - of the addresses
 * @param addresses - each once, in any order
 * @returns true when {@link sayingOf} said so of exactly these
 */
export function saysBound(condition: Saying | undefined, zone: string, addresses: readonly Address[]): boolean {
  if (condition === undefined) return false;
  return [addresses, addresses.toReversed()].some((order) => condition.message.includes(boundText(zone, order)));
}

/**
 * Compares what two conditions say. Moments and counts in a message change with each look and are no news.
 *
 * @param a - one condition
 * @param b - another one, undefined where there is none
 * @returns true when writing one over the other would tell nothing
 */
export function saysTheSame(a: Saying, b: Saying | undefined): boolean {
  return b !== undefined && a.status === b.status && a.reason === b.reason && gist(a.message) === gist(b.message);
}

function boundText(zone: string, addresses: readonly Address[]): string {
  return `${listed(addresses)} of zone "${zone}" ${addresses.length > 1 ? 'are' : 'is'} ${IS_BOUND}`;
}

function waitingSaying({ refusals, held, announced, contested }: Situation & { state: 'waiting' }): Saying {
  const texts = refusals.map(({ message }) => message);
  if (contested !== undefined) return contestedSaying(contested, texts);
  const shown = announced.filter((address) => !isIn(address, held));
  if (held.length > 0) texts.push(`${KEEPS} ${listed(held)}`);
  if (shown.length > 0)
    texts.push(`status.loadBalancer shows ${listed(shown)}, which is not on record for this Service`);
  return said('False', reasonOf(refusals[0]), texts);
}

function contestedSaying({ by, addresses, unrecorded: why }: Contested, texts: readonly string[]): Saying {
  const shown = `status.loadBalancer shows ${listed(addresses)}, which the record of addresses does not grant to this Service`;
  const end = `it stays until the Service gives it up, or an administrator runs "ipam evict ${by.namespace}/${by.name}"`;
  const unrecorded = why === undefined ? [] : [`${UNRECORDED[why]}, so it may give the address to another cluster`];
  return said('False', catalogueRow('address/contested').reason, [shown, ...unrecorded, ...texts, end]);
}

function said(status: Saying['status'], reason: string, texts: readonly string[]): Saying {
  const message = texts.join('; ');
  return { status, reason, message: message.length > LONGEST ? message.slice(0, LONGEST - CUT.length) + CUT : message };
}

function reasonOf({ code }: Refusal): string {
  return catalogueRow(code).reason;
}

function listed(addresses: readonly Address[]): string {
  return addresses.map((address) => `"${address.toString()}"`).join(' and ');
}

function gist(message: string): string {
  return message.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z|\d+ quarantined/gu, '');
}

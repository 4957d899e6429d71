import type { Address } from '../../../addressing/address';
import { DEFAULT_PAGE } from '../../../contract/ipam-api/v3/pieces';
import type { AnswerBody } from '../../../contract/ipam-api/v3/operations';
import type { Zone } from '../../../contract/zones';
import { accept } from '../../../errors/outcome';
import { NAMES_ALL } from '../../../errors/named-objects';
import { explain } from '../../../ledger/records/holder-words';
import type { AddressRecord } from '../../../ports/claims';
import type { OccupiedAddress } from '../../../ports/occupied-addresses';
import { zoneAround } from '../../../rules/adoption';
import type { ForeignAnswer } from '../../../ports/foreign-addresses';
import type { Handlers, IpamApiV3Parts } from './parts';
import { historyAnswer } from './registry-handlers';
import { addressAt, claimAnswer, present, standing, timeOf } from './wire';

/** Handlers of single addresses. */
export const ADDRESS_HANDLERS: Handlers<
  'getAddress' | 'getHistory' | 'explainAddress' | 'releaseHolder' | 'replaceSecret' | 'revealSecret'
> = {
  getAddress: async (parts, { params }) => {
    const address = addressAt(params.address, 'address');
    if (!address.ok) return address;
    return accept({ body: addressAnswer(parts, await looked(parts, params.network, address.value)) });
  },
  getHistory: async ({ registry }, { params, query }) => {
    const address = addressAt(params.address, 'address');
    if (!address.ok) return address;
    const { limit = DEFAULT_PAGE, after } = query;
    const page = await registry.history(params.network, address.value, { limit, ...present({ after }) });
    if (!page.ok) return page;
    const { entries, next } = page.value;
    return accept({ body: { entries: entries.map(historyAnswer), ...present({ next }) } });
  },
  explainAddress: async (parts, { params }) => {
    const address = addressAt(params.address, 'address');
    if (!address.ok) return address;
    const { network } = params;
    const sentences = sentencesOf(await looked(parts, network, address.value));
    return accept({ body: { network, address: address.value.toString(), sentences } });
  },
  releaseHolder: async ({ registry }, { params, body }) => {
    const address = addressAt(params.address, 'address');
    if (!address.ok) return address;
    const { network } = params;
    const released = await registry.release({ network, address: address.value, holderId: body.holderId });
    if (!released.ok) return released;
    const { quarantinedUntilMs: untilMs } = released.value;
    return accept({ body: untilMs === undefined ? {} : { quarantinedUntil: timeOf(untilMs) } });
  },
  replaceSecret: async ({ registry }, { params, body }) => {
    const address = addressAt(params.address, 'address');
    if (!address.ok) return address;
    const replaced = await registry.replaceSecret({ ...params, address: address.value, secret: body.secret });
    return replaced.ok ? accept({ status: 204, body: undefined }) : replaced;
  },
  revealSecret: async ({ registry }, { params }) => {
    const address = addressAt(params.address, 'address');
    if (!address.ok) return address;
    const revealed = await registry.revealSecret(params.network, address.value);
    return revealed.ok ? accept({ body: { secret: revealed.value.secret } }) : revealed;
  },
};

/** An address and what is on record of it. */
interface Looked {
  readonly network: string;
  readonly address: Address;
  readonly record: AddressRecord | undefined;
  /** Whose prefixes contain it now. */
  readonly inZone: Zone | undefined;
  /** Answer of another source about it; only asked where it has no holder. */
  readonly foreign: ForeignAnswer | undefined;
  /** By what clusters show it without a claim. */
  readonly uses: readonly OccupiedAddress[];
}

async function looked(parts: IpamApiV3Parts, network: string, address: Address): Promise<Looked> {
  const record = await parts.registry.claim(network, address);
  const inZone = zoneAround(parts.zones.current().zones, network, address);
  const isAsked = record === undefined && inZone?.space.contains(address) === true;
  const foreign = isAsked ? await parts.registry.foreign({ network, zone: inZone.name, address }) : undefined;
  const uses = await parts.registry.uses({ network, address });
  return { network, address, record, inZone, foreign, uses };
}

function addressAnswer(
  { clock }: Pick<IpamApiV3Parts, 'clock'>,
  { network, address, record, inZone, foreign }: Looked,
): AnswerBody<'getAddress'> {
  // what is in use without a claim was given from no zone
  const zone = record === undefined || record.state === 'foreign' ? inZone?.name : record.pool;
  const text = address.toString();
  if (record === undefined) {
    const state = foreign?.kind === 'foreign' ? 'foreign' : 'free';
    return {
      network,
      address: text,
      ...present({ zone }),
      state: zone === undefined ? 'unmanaged' : state,
      holders: [],
    };
  }
  const nowMs = clock.nowMs();
  const { quarantine, state } = record;
  const until = quarantine === undefined ? undefined : timeOf(quarantine.untilMs);
  return {
    network,
    address: text,
    ...present({ zone }),
    state,
    ...(record.foreign === undefined ? {} : { shownBy: shownBy(record.foreign) }),
    holders: standing(record).map((each) => claimAnswer(record, each, { nowMs, mayName: NAMES_ALL })),
    ...present({ quarantinedUntil: until }),
  };
}

function shownBy({ source, cluster }: Pick<OccupiedAddress, 'source' | 'cluster'>): string {
  return `${source} of cluster ${cluster}`;
}

function useSentences({ address, record, uses }: Looked): readonly string[] {
  const text = address.toString();
  return uses.flatMap((use) => {
    if (use.weight === 'avoided') {
      return [`${shownBy(use)} names address "${text}" in spec.externalIPs, so it is given out last`];
    }
    if (record?.state !== 'held') return [];
    return [`${shownBy(use)} shows address "${text}" as well; it is in use from then on when its claim ends`];
  });
}

function sentencesOf(looked: Looked): string[] {
  const { network, address, record, inZone: zone, foreign } = looked;
  const text = address.toString();
  const taken = [
    ...(record === undefined ? [] : [`address "${text}" ${explain(record, NAMES_ALL)}`]),
    ...useSentences(looked),
  ];
  if (zone === undefined) {
    return [...taken, `no zone of network "${network}" has a prefix with address "${text}", so no new claim gets it`];
  }
  const excluded = zone.excluded.find((range) => range.contains(address));
  const reasons = [
    foreign === undefined ? undefined : foreignSentence(text, foreign),
    excluded === undefined
      ? undefined
      : `zone "${zone.name}" excludes "${excluded.toString()}", so no new claim gets it`,
    zone.draining ? `zone "${zone.name}" is draining, so no new claim gets an address of it` : undefined,
    zone.namespaces === undefined ? undefined : `zone "${zone.name}" is open to namespaces with certain labels only`,
  ].filter((each) => each !== undefined);
  const free = record === undefined && reasons.length === 0 ? [`address "${text}" of zone "${zone.name}" is free`] : [];
  return [...taken, ...reasons, ...free];
}

function foreignSentence(text: string, { kind, words }: ForeignAnswer): string {
  return kind === 'foreign'
    ? `no claim holds address "${text}" here, but ${words}, so no claim gets it`
    : `no claim holds address "${text}" here, but no claim gets it now either: ${words}`;
}

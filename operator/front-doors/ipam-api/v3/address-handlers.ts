import type { Address } from '../../../addressing/address';
import { DEFAULT_PAGE } from '../../../contract/ipam-api/v3/pieces';
import type { AnswerBody } from '../../../contract/ipam-api/v3/operations';
import type { Zone } from '../../../contract/zones';
import { accept } from '../../../errors/outcome';
import { explain } from '../../../ledger/explain';
import type { AddressRecord } from '../../../ports/claim-store';
import type { Handlers, IpamApiV3Parts } from './parts';
import { historyAnswer } from './registry-handlers';
import { addressAt, claimAnswer, present, timeOf } from './wire';

/** What serves single addresses. */
export const ADDRESS_HANDLERS: Handlers<
  'getAddress' | 'getHistory' | 'explainAddress' | 'releaseHolder' | 'replaceSecret' | 'revealSecret'
> = {
  getAddress: async (parts, { params }) => {
    const address = addressAt(params.address, 'address');
    if (!address.ok) return address;
    const record = await parts.registry.claim(params.network, address.value);
    return accept({ body: addressAnswer(parts, { network: params.network, address: address.value, record }) });
  },
  getHistory: async ({ registry }, { params, query }) => {
    const address = addressAt(params.address, 'address');
    if (!address.ok) return address;
    const { limit = DEFAULT_PAGE, after } = query;
    const page = await registry.history(params.network, address.value, { limit, ...present({ after }) });
    return accept({ body: { entries: page.entries.map(historyAnswer), ...present({ next: page.next }) } });
  },
  explainAddress: async (parts, { params }) => {
    const address = addressAt(params.address, 'address');
    if (!address.ok) return address;
    const { network } = params;
    const record = await parts.registry.claim(network, address.value);
    const sentences = sentencesOf(parts, { network, address: address.value, record });
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
}

function addressAnswer(parts: IpamApiV3Parts, { network, address, record }: Looked): AnswerBody<'getAddress'> {
  const zone = record?.zone ?? zoneOf(parts, network, address)?.name;
  const text = address.toString();
  if (record === undefined) {
    return {
      network,
      address: text,
      ...present({ zone }),
      state: zone === undefined ? 'unmanaged' : 'free',
      holders: [],
    };
  }
  const nowMs = parts.clock.nowMs();
  const { quarantine, holders, state } = record;
  const until = quarantine === undefined ? undefined : timeOf(quarantine.untilMs);
  return {
    ...{ network, address: text, ...present({ zone }), state },
    holders: (quarantine === undefined ? holders : [quarantine.former]).map((each) => claimAnswer(record, each, nowMs)),
    ...present({ quarantinedUntil: until }),
  };
}

function zoneOf({ zones }: IpamApiV3Parts, network: string, address: Address): Zone | undefined {
  return zones
    .current()
    .zones.find((zone) => zone.network === network && zone.prefixes.some((prefix) => prefix.contains(address)));
}

function sentencesOf(parts: IpamApiV3Parts, { network, address, record }: Looked): string[] {
  const text = address.toString();
  const zone = zoneOf(parts, network, address);
  const taken = record === undefined ? [] : [`address "${text}" ${explain(record)}`];
  if (zone === undefined) {
    return [...taken, `no zone of network "${network}" has a prefix with address "${text}", so nobody new gets it`];
  }
  const excluded = zone.excluded.find((range) => range.contains(address));
  const reasons = [
    excluded === undefined ? undefined : `zone "${zone.name}" excludes "${excluded.toString()}", so nobody new gets it`,
    zone.draining ? `zone "${zone.name}" is draining, so nobody new gets an address of it` : undefined,
    zone.namespaces === undefined ? undefined : `zone "${zone.name}" is open to namespaces with certain labels only`,
  ].filter((each) => each !== undefined);
  const free = taken.length + reasons.length === 0 ? [`address "${text}" of zone "${zone.name}" is free`] : [];
  return [...taken, ...reasons, ...free];
}

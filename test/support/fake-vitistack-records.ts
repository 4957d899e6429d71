import { addressOf, parseAddress, type Address } from '../../operator/addressing/address';
import { prefixOf } from '../../operator/addressing/prefix';

/** A body as the original's operator sends it. */
export interface VitistackBody {
  readonly secret: string;
  readonly zone: string;
  readonly ip_family: 'ipv4' | 'ipv6';
  readonly address?: string;
  readonly new_secret?: string;
  readonly service: {
    readonly service_name: string;
    readonly namespace_id: string;
    readonly cluster_id: string;
    readonly retention_period_days?: number;
    readonly deny_external_cleanup?: boolean;
  };
}

/** One service of a record. */
export interface VitistackService {
  readonly name: string;
  readonly namespace: string;
  readonly cluster: string;
  readonly retention: number;
  readonly deny: boolean;
  readonly expiresAtMs?: number;
}

/** One address, as the collection of the original has it. */
export interface VitistackRecord {
  secret: string;
  readonly zone: string;
  readonly family: 'ipv4' | 'ipv6';
  readonly address: string;
  services: VitistackService[];
}

/** Answer: status and text, or an address. */
export type VitistackAnswer =
  | { readonly status: 200; readonly message: string; readonly address: string }
  | { readonly status: number; readonly message: string };

const DAY_MS = 86_400_000;
const no = (status: number, message: string): VitistackAnswer => ({ status, message });
const yes = (message: string, address: string): VitistackAnswer => ({ status: 200, message, address });

/**
 * The original's record of who has what, by its documented semantics (services.md 5.2, 6.4 to 6.6), without its races: one call
 * at a time. `expire` plays the cleanup worker.
 */
export class VitistackRecords {
  records: VitistackRecord[] = [];
  readonly #containers: ReadonlyMap<string, readonly string[]>;

  constructor(containers: Readonly<Record<string, readonly string[]>>) {
    this.#containers = new Map(Object.entries(containers));
  }

  register(body: VitistackBody): VitistackAnswer {
    const wrong = this.#problem(body);
    if (wrong !== undefined) return wrong;
    const own = this.#records(body).find(({ services }) => services.some((each) => isTriple(each, body)));
    const asked = body.address === undefined || body.address === '' ? own?.address : body.address;
    if (asked === undefined) return this.#next(body);
    const text = hostText(asked);
    if (!this.records.some(({ address }) => address === text)) return this.#specific(body, text);
    return this.#update(body, text);
  }

  release(body: VitistackBody, nowMs: number): VitistackAnswer {
    const wrong = this.#problem(body);
    if (wrong !== undefined) return wrong;
    const record = this.#records(body).find(({ address }) => address === hostText(body.address ?? ''));
    if (record === undefined) return no(404, 'could not set expiration: mongo: no documents in result');
    if (!record.services.some((each) => isTriple(each, body)))
      return no(404, 'could not set expiration: service not found');
    const entry = serviceOf(body);
    const expiresAtMs = nowMs + entry.retention * DAY_MS;
    record.services = record.services.map((each) => (isTriple(each, body) ? { ...entry, expiresAtMs } : each));
    return yes('Service expiration set successfully', record.address);
  }

  expire(nowMs: number): void {
    for (const record of this.records) {
      record.services = record.services.filter(({ expiresAtMs = Infinity }) => expiresAtMs > nowMs);
    }
    this.records = this.records.filter(({ services }) => services.length > 0);
  }

  #problem({ secret, zone, ip_family: family, address = '', service }: VitistackBody): VitistackAnswer | undefined {
    if (secret.length < 8 || secret.length > 64) return no(400, "Key: 'Request.Secret' failed on the 'min' tag");
    if (service.service_name === '') return no(400, "Key: 'Request.Service.ServiceName' failed on the 'required' tag");
    if (!this.#containers.has(zone))
      return no(400, `zone ${zone} is not one of ${[...this.#containers.keys()].join(', ')}`);
    if (address !== '' && familyOf(address) !== family) return no(400, 'ip address does not fit the family');
    return this.#prefixes(zone, family).length === 0 ? no(400, `zone ${zone} has no ${family} prefixes`) : undefined;
  }

  #next(body: VitistackBody): VitistackAnswer {
    for (const container of this.#prefixes(body.zone, body.ip_family)) {
      const prefix = prefixOf(container);
      for (let at: Address | undefined = prefix.first; at !== undefined && prefix.contains(at); at = at.next()) {
        const text = hostText(at.toString());
        if (!this.records.some(({ address }) => address === text)) return this.#insert(body, text);
      }
    }
    return no(500, 'failed to register address: no available prefixes in zone');
  }

  #specific(body: VitistackBody, text: string): VitistackAnswer {
    const address = addressOf(text.split('/', 1)[0] ?? '');
    const inside = this.#prefixes(body.zone, body.ip_family).some((each) => prefixOf(each).contains(address));
    return inside ? this.#insert(body, text) : no(500, 'failed to register address: outside of the containers');
  }

  #insert(body: VitistackBody, address: string): VitistackAnswer {
    const { secret, zone, ip_family: family } = body;
    this.records.push({ secret, zone, family, address, services: [serviceOf(body)] });
    return yes('Address registered successfully', address);
  }

  #update(body: VitistackBody, text: string): VitistackAnswer {
    const record = this.#records(body).find(({ address }) => address === text);
    if (record === undefined) return no(500, 'failed to update address: no match for secret, zone and address');
    const { new_secret: next = body.secret } = body;
    if (next !== body.secret) {
      if (record.services.length > 1) return no(500, 'failed to update address: several services share it');
      if (!record.services.some((each) => isTriple(each, body)))
        return no(500, 'failed to update address: other service');
      record.secret = next;
    }
    record.services = [...record.services.filter((each) => !isTriple(each, body)), serviceOf(body)];
    return yes('Address updated successfully', text);
  }

  #records({ secret, zone, ip_family: family }: VitistackBody): readonly VitistackRecord[] {
    return this.records.filter((each) => each.secret === secret && each.zone === zone && each.family === family);
  }

  #prefixes(zone: string, family: string): readonly string[] {
    return (this.#containers.get(zone) ?? []).filter((text) => (family === 'ipv6') === text.includes(':'));
  }
}

function isTriple(each: VitistackService, { service }: VitistackBody): boolean {
  const { service_name: name, namespace_id: namespace, cluster_id: cluster } = service;
  return each.name === name && each.namespace === namespace && each.cluster === cluster;
}

function serviceOf({ service }: VitistackBody): VitistackService {
  return {
    name: service.service_name,
    namespace: service.namespace_id,
    cluster: service.cluster_id,
    retention: service.retention_period_days ?? 0,
    deny: service.deny_external_cleanup ?? false,
  };
}

function familyOf(address: string): string {
  const parsed = parseAddress(address.split('/', 1)[0] ?? '');
  return parsed.ok && parsed.value.family === 6 ? 'ipv6' : 'ipv4';
}

// The record stores the prefix as NetBox writes it.
function hostText(text: string): string {
  const address = addressOf(text.split('/', 1)[0] ?? '');
  return `${address.toString()}/${address.family === 4 ? '32' : '128'}`;
}

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
const unregistered = (why: string): VitistackAnswer => no(500, `Could not register address: ${why}`);
const unreleased = (why: string): VitistackAnswer => no(404, `Could not deregister service: ${why}`);
const malformed = (field: string, rule: string): VitistackAnswer => {
  const [name = field] = field.split('.').slice(-1);
  return no(400, `Key: 'IpamApiRequest.${field}' Error:Field validation for '${name}' failed on the '${rule}' tag`);
};
const yes = (message: string, address: string): VitistackAnswer => ({ status: 200, message, address });

/**
 * The original's record of addresses and their holders, by its documented semantics (services.md 5.2, 6.4 to 6.6) and in its own texts (v1.0.40),
 * without its races: one call at a time. `expire` plays the cleanup worker.
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
    if (record === undefined)
      return unreleased('no matching address found with the provivded secret, zone and address');
    if (!record.services.some((each) => isTriple(each, body)))
      return unreleased('service does not exist for this address');
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

  #problem(body: VitistackBody): VitistackAnswer | undefined {
    const { zone, ip_family: family } = body;
    const wrong = fieldProblem(body);
    if (wrong !== undefined) return wrong;
    if (!this.#containers.has(zone))
      return no(400, `invalid zone '${zone}', must be one of: ${[...this.#containers.keys()].join(', ')}`);
    if (this.#prefixes(zone, family).length > 0) return addressProblem(body);
    return addressProblem(body) ?? no(400, `no prefixes found for zone ${zone} with IP family ${family}`);
  }

  #next(body: VitistackBody): VitistackAnswer {
    for (const container of this.#prefixes(body.zone, body.ip_family)) {
      const prefix = prefixOf(container);
      for (let at: Address | undefined = prefix.first; at !== undefined && prefix.contains(at); at = at.next()) {
        const text = hostText(at.toString());
        if (!this.records.some(({ address }) => address === text)) return this.#insert(body, text);
      }
    }
    return unregistered(`no available prefix found for zone ${body.zone}`);
  }

  #specific(body: VitistackBody, text: string): VitistackAnswer {
    const address = addressOf(text.split('/', 1)[0] ?? '');
    const inside = this.#prefixes(body.zone, body.ip_family).some((each) => prefixOf(each).contains(address));
    return inside ? this.#insert(body, text) : unregistered('the requested address is not valid for the provided zone');
  }

  #insert(body: VitistackBody, address: string): VitistackAnswer {
    const { secret, zone, ip_family: family } = body;
    this.records.push({ secret, zone, family, address, services: [serviceOf(body)] });
    return yes('Address registered successfully', address);
  }

  #update(body: VitistackBody, text: string): VitistackAnswer {
    const record = this.#records(body).find(({ address }) => address === text);
    if (record === undefined)
      return unregistered('no matching address found with the provided secret, zone and address');
    const { new_secret: next = body.secret } = body;
    if (next !== body.secret) {
      if (record.services.length > 1) return unregistered('multiple services registered. unable to change secret');
      if (!record.services.some((each) => isTriple(each, body)))
        return unregistered('service mismatch. unable to change secret');
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

function fieldProblem({ secret, service }: VitistackBody): VitistackAnswer | undefined {
  if (secret.length < 8) return malformed('Secret', 'min');
  if (secret.length > 64) return malformed('Secret', 'max');
  if (service.service_name === '') return malformed('Service.ServiceName', 'required');
  return (service.retention_period_days ?? 0) > 30
    ? no(400, 'retention period cannot be more than 30 days')
    : undefined;
}

function addressProblem({ address = '', ip_family: family }: VitistackBody): VitistackAnswer | undefined {
  if (address === '') return undefined;
  const its = familyOf(address);
  if (its === undefined) return no(400, 'invalid IP address format');
  return its === family ? undefined : no(400, 'invalid ip familiy for the provided address');
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

function familyOf(address: string): string | undefined {
  const parsed = parseAddress(address.split('/', 1)[0] ?? '');
  if (!parsed.ok) return undefined;
  return parsed.value.family === 6 ? 'ipv6' : 'ipv4';
}

// The record stores the prefix as NetBox writes it.
function hostText(text: string): string {
  const address = addressOf(text.split('/', 1)[0] ?? '');
  return `${address.toString()}/${address.family === 4 ? '32' : '128'}`;
}

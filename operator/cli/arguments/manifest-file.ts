import { parseAllDocuments } from 'yaml';
import { isMap, listOf } from '../../contract/loose-json';
import { LOAD_BALANCER, readService, type ServiceView } from '../../contract/service';
import { SERVICE } from '../../contract/service-identity';
import { accept, refuse, type Outcome } from '../../errors/outcome';

/**
 * Finds the Services that want addresses in a manifest.
 *
 * @param text - YAML or JSON, one document or several; a List counts as its items
 * @returns the Services of type LoadBalancer in their order; `settings/invalid` where there is none
 */
export function servicesOf(text: string): Outcome<readonly ServiceView[]> {
  const documents = parseAllDocuments(text);
  const parsed = [...documents];
  const broken = parsed.flatMap(({ errors }) => errors)[0];
  if (broken !== undefined) {
    const [line = 'unreadable'] = broken.message.split('\n');
    return refuse('settings/invalid', `--manifest: it is neither YAML nor JSON (${line})`);
  }
  const objects = parsed.flatMap((each) => itemsOf(each.toJS({ maxAliasCount: 100 }) as unknown));
  const services = objects.flatMap((each) =>
    isMap(each) && each['kind'] === SERVICE.kind ? (readService(each) ?? []) : [],
  );
  const wanting = services.filter(({ type }) => type === LOAD_BALANCER);
  if (wanting.length > 0) return accept(wanting);
  const what =
    services.length > 0 ? `its ${services.length} Services are not of type LoadBalancer` : 'no Service is in it';
  return refuse('settings/invalid', `--manifest: ${what}, and only Services of type LoadBalancer get addresses`);
}

function itemsOf(value: unknown): readonly unknown[] {
  if (!isMap(value)) return [];
  return value['kind'] === 'List' || value['kind'] === 'ServiceList' ? listOf(value['items']) : [value];
}

import type { Panel } from './panel';

const DATASOURCE = { type: 'prometheus', uid: '${datasource}' } as const;
const COLUMNS = 24;
const HEIGHT = 8;

// Panels stand in rows of 24 columns, in the order of the list.
function places(panels: readonly Panel[]): readonly { x: number; y: number }[] {
  let [x, y] = [0, 0];
  return panels.map(({ width }) => {
    if (x + width > COLUMNS) [x, y] = [0, y + HEIGHT];
    const place = { x, y };
    x += width;
    return place;
  });
}

function panelModel({ title, description, type, unit, width, queries }: Panel, place: object, id: number): object {
  return {
    id,
    title,
    description,
    type,
    datasource: DATASOURCE,
    gridPos: { ...place, w: width, h: HEIGHT },
    fieldConfig: { defaults: { unit, min: 0, ...(unit === 'percent' ? { max: 100 } : {}) }, overrides: [] },
    targets: queries.map(({ expr, legend }, i) => ({
      refId: String.fromCharCode(65 + i),
      expr,
      legendFormat: legend,
      datasource: DATASOURCE,
      instant: type !== 'timeseries',
      range: type === 'timeseries',
    })),
  };
}

/**
 * Writes the Grafana dashboard.
 *
 * @param panels - in their order, row by row
 * @returns the JSON that Grafana imports
 */
export function dashboardJson(panels: readonly Panel[]): string {
  const at = places(panels);
  const model = {
    uid: 'ipam-operator',
    title: 'IPAM operator',
    tags: ['ipam', 'kubernetes'],
    schemaVersion: 39,
    editable: true,
    refresh: '1m',
    time: { from: 'now-6h', to: 'now' },
    templating: {
      list: [
        { name: 'datasource', label: 'Data source', type: 'datasource', query: 'prometheus', current: {}, hide: 0 },
      ],
    },
    panels: panels.map((panel, i) => panelModel(panel, at[i] ?? {}, i + 1)),
  };
  return `${JSON.stringify(model, undefined, 2)}\n`;
}

const paths = {
  overview: 'M3 13h4v7H3zM10 4h4v16h-4zM17 9h4v11h-4z',
  projects: 'M15.5 7.5a4.5 4.5 0 1 1-3.2 7.7L7 20.5H3.5V17l5.3-5.3a4.5 4.5 0 0 1 6.7-4.2M16 12h.01',
  records:
    'M4 5.5A1.5 1.5 0 0 1 5.5 4h13A1.5 1.5 0 0 1 20 5.5v13a1.5 1.5 0 0 1-1.5 1.5h-13A1.5 1.5 0 0 1 4 18.5zM9 11.5a2 2 0 1 0 0-4 2 2 0 0 0 0 4M6.5 16c.4-1.4 1.3-2 2.5-2s2.1.6 2.5 2M14.5 9H17M14.5 13H17',
  calls: 'M4 6h16M4 12h16M4 18h10',
  spend: 'M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16M12 12V4M12 12l5.7 5.6',
  prices: 'M4 4h7l9 9-7 7-9-9zM8 8h.01',
  providers: 'M9 3v5M15 3v5M6 8h12v3a6 6 0 0 1-12 0zM12 17v4',
  webhooks: 'M4 12h9M9.5 8.5L13 12l-3.5 3.5M15 5h5v14h-5',
  audit: 'M12 3l7 3v5.5c0 4.5-3 8-7 9.5-4-1.5-7-5-7-9.5V6zM9 12l2 2 4-4',
  suppressions: 'M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16M6.4 6.4l11.2 11.2',
  sessions:
    'M9 11.5a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7M2.5 19.5c.6-3.3 3-5 6.5-5s5.9 1.7 6.5 5M16 4.9a3.5 3.5 0 0 1 0 6.2M18 14.9c1.9.7 3.1 2.2 3.5 4.6',
  operations: 'M4 7h9M17 7h3M4 17h3M11 17h9M15 4.5v5M9 14.5v5',
  watches: 'M2.5 12S6 5.5 12 5.5 21.5 12 21.5 12 18 18.5 12 18.5 2.5 12 2.5 12M12 9a3 3 0 1 0 0 6 3 3 0 0 0 0-6',
  batches: 'M4 4h16v4H4zM4 10.5h16v4H4zM4 17h9v3H4z',
  playground: 'M7 4.5v15l12-7.5z',
  copy: 'M9 9h10v11H9zM5 15V4h10',
  check: 'M5 12.5l4.5 4.5L19 7.5',
  menu: 'M4 7h16M4 12h16M4 17h16',
  close: 'M6 6l12 12M18 6L6 18',
  search: 'M11 5a6 6 0 1 0 0 12 6 6 0 0 0 0-12M15.5 15.5L20 20',
  refresh: 'M19 8a7.5 7.5 0 1 0 .5 5M19.5 4v4.5H15',
  alert: 'M12 4l9 16H3zM12 10v4M12 17h.01',
  plus: 'M12 5v14M5 12h14',
  sun: 'M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8M12 3v1.5M12 19.5V21M3 12h1.5M19.5 12H21M5.6 5.6l1.1 1.1M17.3 17.3l1.1 1.1M5.6 18.4l1.1-1.1M17.3 6.7l1.1-1.1',
  moon: 'M19.5 14A8 8 0 0 1 10 4.5a7.8 7.8 0 1 0 9.5 9.5',
  screen: 'M4 5h16v11H4zM9 20h6M12 16v4',
  out: 'M14 4h5v16h-5M4 12h10M10.5 8.5L14 12l-3.5 3.5',
  arrow: 'M5 12h14M13 6l6 6-6 6',
} as const

export type IconName = keyof typeof paths

/** An icon. It only repeats the text beside it, so screen readers skip it. */
export function Icon({ name, size = 16 }: { name: IconName; size?: number }) {
  return (
    <svg class="icon" width={size} height={size} viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={paths[name]} />
    </svg>
  )
}

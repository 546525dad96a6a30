/// The dashboard's style, light and dark.
enum DashboardStyle {
    static let text = #"""
        :root { color-scheme: light dark; --line: #8884; --accent: #2a6fdb; font: 16px/1.5 system-ui, sans-serif; }
        body { margin: 0 auto; max-width: 70rem; padding: 0 1rem 2rem; }
        header { display: flex; align-items: baseline; justify-content: space-between; border-bottom: 1px solid var(--line); }
        h1 { font-size: 1.5rem; margin: .5rem 0; }
        h2 { font-size: 1.1rem; margin: 1.5rem 0 .5rem; }
        form { display: flex; flex-wrap: wrap; gap: .75rem; align-items: end; }
        label { display: flex; flex-direction: column; font-size: .85rem; }
        label.wide { flex: 1 1 18rem; }
        input, select, button { font: inherit; padding: .4rem .6rem; border: 1px solid var(--line); border-radius: .3rem; }
        button { cursor: pointer; }
        form button { background: var(--accent); color: #fff; border-color: var(--accent); }
        #problem { color: #c33; min-height: 1.5em; margin: .5rem 0 0; overflow-wrap: anywhere; }
        table { width: 100%; border-collapse: collapse; }
        th { text-align: left; font-size: .85rem; font-weight: 600; }
        td, th { padding: .4rem .5rem .4rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
        td:first-child, td:nth-child(4) { overflow-wrap: anywhere; }
        button, td:nth-child(2), td small { white-space: nowrap; }
        progress { width: 8rem; max-width: 100%; }
        .failed { color: #c33; } .succeeded { color: #2a8a3a; }
        small { display: block; opacity: .75; }
        footer { margin-top: 2rem; font-size: .85rem; display: flex; gap: 1rem; }
        .hidden { position: absolute; clip-path: inset(50%); width: 1px; height: 1px; overflow: hidden; }
        @media (max-width: 40rem) {
          thead { display: none; }
          tr { display: block; border-bottom: 1px solid var(--line); padding: .5rem 0; }
          td { display: block; border: 0; padding: .1rem 0; }
          label { flex: 1 1 7rem; }
        }

        """#
}

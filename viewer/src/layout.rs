//! Where the nodes of a tree are drawn: the tidy layout of Buchheim, Jünger and Leipert ("Improving Walker's algorithm to run
//! in linear time", 2002).
//!
//! Every subtree is drawn on its own, and then pushed against its siblings to the left until nothing is closer than 1. What
//! two subtrees that are not neighbours need beyond that is shared evenly between the gaps that lie between them. A parent
//! stands over the middle of its first and last child.
//!
//! The nodes come in breadth-first order, so a loop over them backwards meets all children before their parent: there is no
//! recursion, and the nodes it looks at next are near the ones it has just looked at. A node's place is kept relative to its
//! parent until the last pass, so that moving a subtree means moving its root. The owner of each stretch of the right
//! contour is found on a stack of siblings, rather than by the marks on nodes which the paper uses. Depends on nothing.

/// The shape of a tree in breadth-first order: the root is node 0, the children of a node are consecutive, and every layer is
/// a contiguous range of nodes.
#[derive(Clone, Copy, Debug)]
pub struct Shape<'a> {
    /// The parent of each node; arbitrary for the root.
    pub parents: &'a [u32],
    /// The first child of each node; arbitrary where there is none.
    pub first_child: &'a [u32],
    /// The number of children of each node.
    pub children: &'a [u32],
}

/// The x of every node: neighbours in a layer are at least 1 apart, a parent is centred over its first and last child, and the
/// root is at 0. The same subtree is drawn the same everywhere, and the mirror image of a tree is the mirror image of its
/// drawing.
///
/// Time and memory are linear in the number of nodes, whatever the shape.
///
/// # Panics
///
/// When the slices differ in length. When the nodes are not in breadth-first order it may panic, or give places that mean
/// nothing.
pub fn layout(shape: &Shape<'_>) -> Vec<f64> {
    let nodes = shape.children.len();
    assert!(
        shape.parents.len() == nodes && shape.first_child.len() == nodes,
        "a shape tells three things of every node"
    );
    let mut tidy = Tidy {
        shape: *shape,
        x: vec![0.0; nodes],
        link: vec![0; nodes],
        threads: Vec::new(),
        skyline: Vec::new(),
        spreads: Vec::new(),
    };
    for parent in (0..nodes).rev() {
        if shape.children[parent] > 0 {
            tidy.place_children(parent);
        }
    }
    let mut x = tidy.x;
    for node in 1..nodes {
        x[node] += x[shape.parents[node] as usize];
    }
    x
}

/// A layout that is being made.
struct Tidy<'a> {
    shape: Shape<'a>,
    /// The place of each node relative to its parent.
    x: Vec<f64>,
    /// Of an inner node whose children are placed: the number of layers below it. Of a leaf: 1 + the index of the thread that
    /// starts there, or 0.
    link: Vec<u32>,
    threads: Vec<Thread>,
    /// For the children of one parent: which of those placed so far are seen from the right, deepest first, and so by
    /// falling height from left to right.
    skyline: Vec<Seen>,
    /// For the children of one parent: by how much those between two others have to spread out. Empty when they need not.
    spreads: Vec<Spread>,
}

/// Where a contour goes on below a leaf, in another subtree.
#[derive(Clone, Copy)]
struct Thread {
    target: u32,
    /// The place of the target relative to the leaf.
    offset: f64,
}

/// A node on a contour, and its place relative to the parent whose children are being placed.
#[derive(Clone, Copy)]
struct Point {
    node: u32,
    x: f64,
}

/// A sibling that is seen from the right.
#[derive(Clone, Copy)]
struct Seen {
    sibling: u32,
    height: u32,
    /// Where its right contour ends, and where that of the one to its left goes on below it; arbitrary for the deepest.
    end: Point,
    below: Point,
}

/// What happens to the siblings from one on leftwards: they move, and from there each moves less than the one before.
#[derive(Clone, Copy, Default)]
struct Spread {
    distance: f64,
    slope: f64,
}

impl Tidy<'_> {
    /// Places the children of a node whose grandchildren are placed.
    fn place_children(&mut self, parent: usize) {
        let first = self.shape.first_child[parent];
        let count = self.shape.children[parent];
        let last = first + (count - 1);
        // No place so far is relative to this parent, and so the first child may be at 0 until the middle is known.
        let mut height = self.height(first);
        if count > 1 {
            self.skyline.clear();
            self.skyline.push(Seen::deepest(first, height));
            for child in first + 1..=last {
                height = self.place_child(first, child, last, height);
            }
            self.join_right_contour();
            let middle = self.spread_out(first, last) / 2.0;
            for x in &mut self.x[first as usize..=last as usize] {
                *x -= middle;
            }
        }
        self.link[parent] = height + 1;
    }

    /// Places a child to the right of its siblings, of which the highest has `so_far` layers below it. Gives the number of
    /// layers that are below the siblings now.
    fn place_child(&mut self, first: u32, child: u32, last: u32, so_far: u32) -> u32 {
        let height = self.height(child);
        let before = child - 1;
        let mut x = self.x[before as usize] + 1.0;
        if height == 0
            && let Some(top) = self.skyline.last_mut()
            && top.height == 0
        {
            // Most nodes of a search tree are leaves beside leaves. One hides the other.
            top.sibling = child;
            top.end = Point { node: child, x };
            self.x[child as usize] = x;
            return so_far;
        }
        // The two contours that face each other: the siblings' on the right, and the child's on the left.
        let mut theirs = Point {
            node: before,
            x: x - 1.0,
        };
        let mut ours = Point { node: child, x };
        // The contour whose end is needed, because the other side is deeper: the siblings' on the left, or the child's on
        // the right.
        let mut end = if height > so_far {
            Point {
                node: first,
                x: 0.0,
            }
        } else {
            ours
        };
        for depth in 1..=height.min(so_far) {
            theirs = self.descend_skyline(theirs, depth);
            ours = self.left_below(ours);
            if height > so_far {
                end = self.left_below(end);
            } else if height < so_far {
                end = self.right_below(end);
            }
            let missing = theirs.x + 1.0 - ours.x;
            if missing > 0.0 {
                x += missing;
                ours.x += missing;
                if height < so_far {
                    end.x += missing;
                }
                let owner = self.top().sibling;
                if child - owner > 1 {
                    self.spread(owner - first, child - first, last - first, missing);
                }
            }
        }
        self.x[child as usize] = x;
        if height < so_far {
            let below = self.descend_skyline(theirs, height + 1);
            self.skyline.push(Seen {
                sibling: child,
                height,
                end,
                below,
            });
        } else {
            if height > so_far {
                let below = self.left_below(ours);
                self.join(end, below);
            }
            self.skyline.clear();
            self.skyline.push(Seen::deepest(child, height));
        }
        height.max(so_far)
    }

    /// The next node of the siblings' right contour, at this depth. Who ends above is behind the child being placed, and is
    /// forgotten.
    #[inline]
    fn descend_skyline(&mut self, from: Point, depth: u32) -> Point {
        let top = *self.top();
        if top.height >= depth {
            return self.right_below(from);
        }
        self.skyline.pop();
        top.below
    }

    /// The rightmost sibling that reaches down to where the right contour is being followed.
    #[inline]
    fn top(&self) -> &Seen {
        self.skyline
            .last()
            .expect("the deepest sibling hides behind none that is less deep")
    }

    /// Makes one contour of the pieces that are seen from the right.
    fn join_right_contour(&mut self) {
        for index in 1..self.skyline.len() {
            let Seen { end, below, .. } = self.skyline[index];
            self.join(end, below);
        }
    }

    /// Notes that the siblings between the two are to share what the right one had to move because of the left one. Siblings
    /// are counted from 0 to `last` here.
    fn spread(&mut self, left: u32, right: u32, last: u32, distance: f64) {
        if self.spreads.is_empty() {
            self.spreads.resize(last as usize + 1, Spread::default());
        }
        let slope = distance / f64::from(right - left);
        let from = &mut self.spreads[right as usize];
        from.distance += distance;
        from.slope += slope;
        self.spreads[left as usize].slope -= slope;
    }

    /// Moves the siblings that are to spread out. Gives the distance from the first to the last.
    fn spread_out(&mut self, first: u32, last: u32) -> f64 {
        // None of them moves one that is seen from the left or from the right, and so the contours stay as they are.
        let siblings = &mut self.x[first as usize..=last as usize];
        let (mut distance, mut slope) = (0.0, 0.0);
        for (x, spread) in siblings.iter_mut().zip(&self.spreads).rev() {
            *x += distance;
            slope += spread.slope;
            distance += spread.distance - slope;
        }
        self.spreads.clear();
        siblings[siblings.len() - 1] - siblings[0]
    }

    /// The number of layers below a node whose children are placed.
    #[inline]
    fn height(&self, node: u32) -> u32 {
        if self.shape.children[node as usize] == 0 {
            0
        } else {
            self.link[node as usize]
        }
    }

    /// The next node of a left contour; there must be one.
    #[inline]
    fn left_below(&self, from: Point) -> Point {
        match self.shape.children[from.node as usize] {
            0 => self.along_thread(from),
            _ => self.child(from, self.shape.first_child[from.node as usize]),
        }
    }

    /// The next node of a right contour; there must be one.
    #[inline]
    fn right_below(&self, from: Point) -> Point {
        match self.shape.children[from.node as usize] {
            0 => self.along_thread(from),
            count => self.child(
                from,
                self.shape.first_child[from.node as usize] + (count - 1),
            ),
        }
    }

    #[inline]
    fn child(&self, of: Point, node: u32) -> Point {
        Point {
            node,
            x: of.x + self.x[node as usize],
        }
    }

    #[inline]
    fn along_thread(&self, from: Point) -> Point {
        let thread = self.threads[self.link[from.node as usize] as usize - 1];
        Point {
            node: thread.target,
            x: from.x + thread.offset,
        }
    }

    /// Lets a contour that ends at a leaf go on elsewhere.
    fn join(&mut self, leaf: Point, below: Point) {
        self.threads.push(Thread {
            target: below.node,
            offset: below.x - leaf.x,
        });
        self.link[leaf.node as usize] = self.threads.len() as u32;
    }
}

impl Seen {
    /// The deepest sibling, which none is below.
    fn deepest(sibling: u32, height: u32) -> Self {
        let nowhere = Point { node: 0, x: 0.0 };
        Self {
            sibling,
            height,
            end: nowhere,
            below: nowhere,
        }
    }
}
